import CoreLocation

@MainActor
final class AccuracyRequest {
    private let manager = CLLocationManager()

    func upgrade() async throws -> Bool {
        guard manager.accuracyAuthorization == .reducedAccuracy else { return true }
        try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Navigation")
        return manager.accuracyAuthorization == .fullAccuracy
    }

    func upgradeWithCallback() {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Navigation") { error in
            if let error { print(error) }
        }
    }

    nonisolated func upgradeAndForget(_ manager: CLLocationManager) {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Navigation")
    }
}
