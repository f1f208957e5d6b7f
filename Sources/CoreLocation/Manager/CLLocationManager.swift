public import Foundation

/// The classic entrance to the location service.
///
/// What is here works; the rest of Apple's class is not there yet, rather than there without effect.
open class CLLocationManager: NSObject {
    private let client: LocationClient = .current()

    /// Creates a manager.
    public override init() {
        super.init()
    }

    /// What the person decided about this app.
    open var authorizationStatus: CLAuthorizationStatus {
        self.client.mirror.authorization
    }

    /// Asks for the token the app's server sends location pushes to.
    ///
    /// - Parameter completion: called once, on the main queue, with the token or a ``CLLocationPushServiceError``.
    open func startMonitoringLocationPushes(completion: (@Sendable (Data?, (any Error)?) -> Void)? = nil) {
        self.client.requestPushToken { result in
            guard let completion else { return }
            DispatchQueue.main.async {
                switch result {
                case .success(let token): completion(token, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    /// Asks for the token the app's server sends location pushes to.
    ///
    /// - Throws: ``CLLocationPushServiceError``.
    open func startMonitoringLocationPushes() async throws -> Data {
        let client = self.client
        return try await withCheckedThrowingContinuation { continuation in
            client.requestPushToken { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }

    /// Gives the token back; pushes to it are refused from now on.
    open func stopMonitoringLocationPushes() {
        self.client.stopMonitoringPushes()
    }
}
