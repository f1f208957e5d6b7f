// Written with `import CoreLocation` alone, as an app is: on macOS it would compile against Apple's module unchanged.
import CoreLocation
import Testing

@Suite struct SourceCompatibilityTests {
    private final class LocationPushService: NSObject, CLLocationPushServiceExtension {
        func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void) {
            completion()
        }
    }

    private final class AsyncService: NSObject, CLLocationPushServiceExtension {
        func didReceiveLocationPushPayload(_ payload: [String: Any]) async {}
    }

    @Test func eitherFormOfTheExtensionWillDo() async {
        await LocationPushService().didReceiveLocationPushPayload([:])
        await AsyncService().didReceiveLocationPushPayload(["aps": [:]])
        await withCheckedContinuation { continuation in
            AsyncService().didReceiveLocationPushPayload([:]) { continuation.resume() }
        }
        LocationPushService().serviceExtensionWillTerminate()
    }

    @Test func errorsMatchAsApplesDo() {
        let error: any Error = CLLocationPushServiceError(.missingEntitlement)
        #expect((error as? CLLocationPushServiceError)?.code == .missingEntitlement)
        #expect((error as NSError).code == 3)
        do {
            throw error
        } catch CLLocationPushServiceError.missingEntitlement {
        } catch {
            #expect(Bool(false), "another error: \(error)")
        }
    }

    @Test(arguments: [(90.0, 180.0, true), (90.1, 0, false), (0, -180.1, false), (Double.nan, 0, false)])
    func coordinatesOnEarthAreValid(_ latitude: Double, _ longitude: Double, _ isValid: Bool) {
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(latitude, longitude)) == isValid)
    }

    @Test func aSequenceOfUpdatesIsWhatAppsDeclareItToBe() {
        func takes(_ updates: some AsyncSequence<CLLocationUpdate, any Error>) {}
        takes(CLLocationUpdate.liveUpdates())
        takes(CLLocationUpdate.liveUpdates(.automotiveNavigation))
    }
}
