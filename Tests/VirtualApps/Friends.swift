import CoreLocation
import Synchronization

/// An app that shares its location: it creates a session, registers for pushes, and tells its "server".
@MainActor final class Friends {
    private(set) var token: Data?
    private(set) var mustAskAgain = false
    private let manager = CLLocationManager()
    private let session = CLServiceSession(authorization: .always)

    init() {
        Task { await self.share() }
    }

    private func share() async {
        do {
            for try await diagnostic in self.session.diagnostics {
                if diagnostic.authorizationRequestInProgress || diagnostic.insufficientlyInUse { continue }
                self.mustAskAgain = diagnostic.authorizationDenied || diagnostic.alwaysAuthorizationDenied
                if !self.mustAskAgain { self.token = try await self.manager.startMonitoringLocationPushes() }
            }
        } catch {
            self.mustAskAgain = true
        }
    }
}

/// The locations that reached the "server" of ``Friends``; a file or a network in a real app.
final class Answers: Sendable {
    private let all = Mutex<[CLLocation]>([])

    init() {}

    var locations: [CLLocation] { self.all.withLock { $0 } }

    func add(_ location: CLLocation) { self.all.withLock { $0.append(location) } }
}

/// The extension of ``Friends``.
final class FriendsPushService: NSObject, CLLocationPushServiceExtension {
    private let answers: Answers

    init(answers: Answers) {
        self.answers = answers
    }

    func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        let session = CLServiceSession(authorization: .always)
        defer { session.invalidate() }
        guard
            let update = try? await CLLocationUpdate.liveUpdates().first(where: {
                $0.location != nil || $0.authorizationDenied
            }), let location = update.location
        else { return }
        self.answers.add(location)
    }
}

/// An extension that never completes.
final class OverrunningPushService: NSObject, CLLocationPushServiceExtension {
    override init() {}

    func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void) {
        Task {
            for try await _ in CLLocationUpdate.liveUpdates() {}
            completion()
        }
    }
}
