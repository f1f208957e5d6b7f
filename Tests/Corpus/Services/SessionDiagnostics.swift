import CoreLocation

actor AuthorizationWatcher {
    private(set) var isAuthorized = false

    func watch() async throws {
        let session = CLServiceSession(authorization: .always, fullAccuracyPurposeKey: "Nav")
        for try await diagnostic in session.diagnostics {
            if diagnostic.authorizationRequestInProgress { continue }
            isAuthorized = !diagnostic.authorizationDenied && !diagnostic.alwaysAuthorizationDenied
            if diagnostic.fullAccuracyDenied || diagnostic.insufficientlyInUse || diagnostic.serviceSessionRequired {
                break
            }
            if diagnostic.authorizationRestricted || diagnostic.authorizationDeniedGlobally { return }
        }
        session.invalidate()
    }

    func watchBackground(_ session: CLBackgroundActivitySession) async throws -> Bool {
        for try await diagnostic in session.diagnostics where !diagnostic.authorizationRequestInProgress {
            return !diagnostic.authorizationDenied && !diagnostic.insufficientlyInUse
        }
        return false
    }
}

struct Feature {
    var requirement: CLServiceSession.AuthorizationRequirement = .whenInUse

    func makeSession() -> CLServiceSession? {
        requirement == .none ? nil : CLServiceSession(authorization: requirement)
    }
}
