// Written with `import CoreLocation` alone, as an app is: on macOS it would compile against Apple's module unchanged.
import CoreLocation
import Testing

@Suite struct ErrorTests {
    @Test func anErrorIsCaughtByItsCode() {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch CLError.network {
                return "network"
            } catch let error as CLError where error.code == .denied {
                return "denied"
            } catch {
                return "another"
            }
        }
        #expect(caught(CLError(.network)) == "network")
        #expect(caught(CLError(.denied)) == "denied")
        #expect(caught(CLError(.locationUnknown)) == "another")
        #expect(caught(CocoaError(.fileNoSuchFile)) == "another")
        #expect(caught(NSError(domain: kCLErrorDomain, code: 2)) == "network")
    }

    @Test func anErrorIsAnNSErrorOfItsDomain() {
        let error = CLError(.regionMonitoringFailure, userInfo: ["why": "no radio"]) as NSError
        #expect(error.domain == "kCLErrorDomain" && error.code == 5 && error.userInfo["why"] as? String == "no radio")
        #expect(CLError.errorDomain == kCLErrorDomain)
    }

    @Test func errorsAreEqualByCodeAndInformation() {
        #expect(CLError(.denied) == CLError(.denied) && CLError(.denied) != CLError(.network))
        #expect(Set([CLError(.denied), CLError(.denied)]).count == 1)
    }

    @Test func anErrorSaysWhatItsInformationSays() {
        let error = CLError(.network, userInfo: [NSLocalizedDescriptionKey: "no server"])
        #expect(error.localizedDescription == "no server")
        #expect(CLError(.network).localizedDescription.contains("kCLErrorDomain"))
    }

    @Test func anErrorOfLocationPushesSaysItsReason() {
        let error: any Error = CLLocationPushServiceError(.unknown)
        #expect(error.localizedDescription.contains("push gateway cannot be reached"))
    }

    @Test func anAlternateRegionIsFound() {
        let region = CLRegion()
        #expect(CLError(.regionMonitoringResponseDelayed).alternateRegion == nil)
        let error = CLError(.regionMonitoringResponseDelayed, userInfo: [kCLErrorUserInfoAlternateRegionKey: region])
        #expect(error.alternateRegion === region)
    }

    @Test func theCodesAreApples() {
        #expect((0...19).allSatisfy { CLError.Code(rawValue: $0) != nil } && CLError.Code(rawValue: 20) == nil)
        #expect(CLError.rangingUnavailable.rawValue == 16 && CLError.promptDeclined.rawValue == 18)
    }

    @Test func anErrorOfAnotherDomainTraps() async {
        await #expect(processExitsWith: .failure) { _ = CLError(_nsError: NSError(domain: "other", code: 1)) }
        await #expect(processExitsWith: .failure) {
            _ = CLLocationPushServiceError(_nsError: NSError(domain: "other", code: 1))
        }
    }
}
