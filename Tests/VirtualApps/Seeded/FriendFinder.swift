import CoreLocation
import Foundation

/// An app that lets friends ask for its owner's position.
@MainActor final class FriendFinder {
    /// The mistakes that can be built in.
    enum Bug: String, CaseIterable, Sendable {
        /// The extension waits for a position without a timer.
        case waitsForPosition
        /// The extension's timer completes a push that is already completed.
        case completesTwice
        /// Only the first token is sent to the server.
        case keepsFirstToken
    }

    /// Its token, as the server knows it.
    var tokenAtServer: Data? { UserDefaults.standard.data(forKey: "sentToken") }
    private(set) var token: Data?
    private let bug: Bug?
    private let manager = CLLocationManager()
    private let session = CLServiceSession(authorization: .always)

    init(_ bug: Bug?) {
        self.bug = bug
        Task { try await self.share() }
    }

    private func share() async throws {
        for try await diagnostic in self.session.diagnostics {
            if diagnostic.authorizationRequestInProgress || diagnostic.insufficientlyInUse { continue }
            if diagnostic.authorizationDenied || diagnostic.alwaysAuthorizationDenied { continue }
            guard let token = try? await self.manager.startMonitoringLocationPushes() else { continue }
            self.token = token
            if self.bug == .keepsFirstToken, self.tokenAtServer != nil { continue }
            UserDefaults.standard.set(token, forKey: "sentToken")
        }
    }
}

/// The extension of ``FriendFinder``.
final class FriendFinderExtension: NSObject, CLLocationPushServiceExtension {
    private let bug: FriendFinder.Bug?

    init(_ bug: FriendFinder.Bug?) { self.bug = bug }

    func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void) {
        let bug = self.bug
        Task { @MainActor in
            let session = CLServiceSession(authorization: .always)
            defer { session.invalidate() }
            let position = Task { try await Self.position() }
            let timer = Task { @MainActor in
                try await Task.sleep(for: .seconds(20))
                if bug != .waitsForPosition { position.cancel() }
                if bug == .completesTwice { completion() }
            }
            _ = try? await position.value
            if bug != .completesTwice { timer.cancel() }
            completion()
        }
    }

    private static func position() async throws -> CLLocation? {
        for try await update in CLLocationUpdate.liveUpdates() {
            guard let location = update.location else {
                if update.authorizationDenied { return nil }
                continue
            }
            guard location.horizontalAccuracy >= 0, abs(location.timestamp.timeIntervalSinceNow) < 30 else { continue }
            return location
        }
        return nil
    }
}
