import CoreLocation

final class PushRegistration {
    private let manager = CLLocationManager()

    func register(_ upload: @escaping @Sendable (String) -> Void) {
        manager.startMonitoringLocationPushes { token, error in
            if let error = error as? CLLocationPushServiceError, error.code == .missingEntitlement { return }
            guard let token else { return }
            upload(token.map { String(format: "%02x", $0) }.joined())
        }
    }

    @MainActor
    func registerAsync() async throws -> Data {
        do {
            return try await manager.startMonitoringLocationPushes()
        } catch CLLocationPushServiceError.missingPushExtension {
            return Data()
        }
    }

    func unregister() { manager.stopMonitoringLocationPushes() }
}
