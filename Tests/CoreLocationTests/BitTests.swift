internal import LocationEngine
internal import Testing

@testable internal import CoreLocation

/// The module and the engine number their diagnostics alike, though neither imports the other.
@Suite struct BitTests {
    private func update(_ diagnostics: UpdateDiagnostics) -> CLLocationUpdate {
        CLLocationUpdate(location: nil, bits: UInt32(diagnostics.rawValue))
    }

    @Test func updates() {
        #expect(self.update(.authorizationDenied).authorizationDenied)
        #expect(self.update(.authorizationRequestInProgress).authorizationRequestInProgress)
        #expect(self.update(.insufficientlyInUse).insufficientlyInUse)
        #expect(self.update(.serviceSessionRequired).serviceSessionRequired)
        #expect(self.update(.locationUnavailable).locationUnavailable)
        #expect(!self.update([]).locationUnavailable)
        #expect(CLLocationUpdate.withoutDaemon.locationUnavailable)
    }

    @Test func sessions() {
        func diagnostic(_ diagnostics: SessionDiagnostics) -> CLServiceSession.Diagnostic {
            CLServiceSession.Diagnostic(bits: UInt32(diagnostics.rawValue))
        }
        #expect(diagnostic(.authorizationDenied).authorizationDenied)
        #expect(diagnostic(.authorizationRequestInProgress).authorizationRequestInProgress)
        #expect(diagnostic(.insufficientlyInUse).insufficientlyInUse)
        #expect(diagnostic(.alwaysAuthorizationDenied).alwaysAuthorizationDenied)
    }
}
