import CoreLocation
import Friends
import WhereaboutsSharing

/// Answers where this device is, once for each push, to friends who may know.
class LocationPushService: NSObject, CLLocationPushServiceExtension {
    /// How long a fix may take before the friend is told that there is none: half of the extension's time.
    private static let patience = Duration.seconds(15)
    /// How long the process answers, of the 30 s that it has; the rest is for its end.
    private static let workingTime = Duration.seconds(25)
    /// How long telling the friend may take, when the fix is late.
    private static let tellingTime = Duration.seconds(2)

    private let began = ContinuousClock.now
    /// The files, and the way to the server; the system makes the object without a parameter.
    var friends = Friends()

    /// Pushes that come while the process runs share its time.
    private var timeLeft: Duration { max(.zero, Self.workingTime - (ContinuousClock.now - self.began)) }

    private enum Failure: Error, CustomStringConvertible {
        case notAllowed
        case noFix(within: Duration)

        var description: String {
            switch self {
            case .notAllowed: "the location service does not serve the app now"
            case .noFix(let patience): "the receiver found no position within \(patience.components.seconds) s"
            }
        }
    }

    func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        let session = CLServiceSession(authorization: .always)
        defer { session.invalidate() }
        do {
            let sharer = try self.friends.sharer()
            let request = try sharer.receive(pushPayload: payload)
            let timeLeft = self.timeLeft
            // On iOS a notification with two buttons, which the app answers with.
            let home = sharer.home
            let prompt: @Sendable (Question) -> Void = { Screen.show($0.words(in: home)) }
            try await sharer.respond(to: request, within: timeLeft, handsOver: true, prompt: prompt) {
                try await Self.locate(within: min(Self.patience, max(.zero, timeLeft - Self.tellingTime)))
            }
            Friends.tell(of: sharer.home)
            // The app goes on for those who follow from now on.
            if !sharer.home.followers().isEmpty {
                var updates = CLLocationUpdate.liveUpdates().makeAsyncIterator()
                _ = try await updates.next()
                self.handedOver = updates
            }
        } catch {
            // Says nothing of who asked, or of where this is.
            FileHandle.standardError.write(Data("a push was not answered: \(error)\n".utf8))
        }
    }

    /// Live updates that are still being read when the process ends: the system launches the app to go on with them.
    private var handedOver: CLLocationUpdate.Updates.Iterator?

    func serviceExtensionWillTerminate() {
        FileHandle.standardError.write(Data("the extension ran out of time\n".utf8))
    }

    private static func locate(within patience: Duration) async throws -> SharedFix {
        try await withThrowingTaskGroup(of: SharedFix.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for try await update in CLLocationUpdate.liveUpdates() {
                    if let location = update.location { return try SharedFix(location) }
                    if update.authorizationDenied || update.insufficientlyInUse { throw Failure.notAllowed }
                }
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: patience)
                throw Failure.noFix(within: patience)
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
