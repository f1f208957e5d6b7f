import CoreLocation
import Synchronization
import WhereaboutsSharing

#if canImport(Friends)
import Friends
#endif

/// Answers where this device is, once for each push, to friends who may know.
class LocationPushService: NSObject, CLLocationPushServiceExtension {
    /// How long a fix may take before the friend learns that there is none: half of the extension's time.
    private static let patience = Duration.seconds(15)
    /// How long the process answers, of the 30 s that it has; the rest is for its end.
    private static let workingTime = Duration.seconds(25)
    /// How long telling the friend may take, when the fix is late.
    private static let tellingTime = Duration.seconds(2)

    private let began = ContinuousClock.now
    /// The answers under way.
    private let answers = Mutex<[Task<Void, any Error>]>([])
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

    // The system's completion is called when this returns: exactly once, whatever happens.
    func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        let session = CLServiceSession(authorization: .always)
        defer { session.invalidate() }
        do {
            let sharer = try self.friends.sharer()
            if let alert = try sharer.receiveAlert(pushPayload: payload) {
                return try await Self.answer(alert, by: sharer)
            }
            let request = try sharer.receive(pushPayload: payload)
            let timeLeft = self.timeLeft
            let answer = Task { try await LocationPushService.answer(request, by: sharer, within: timeLeft) }
            self.answers.withLock { $0.append(answer) }
            try await answer.value
            Friends.tell(of: sharer.profile)
            // The app goes on for those who follow from now on.
            if !sharer.profile.followers().isEmpty {
                var updates = CLLocationUpdate.liveUpdates().makeAsyncIterator()
                _ = try await updates.next()
                self.handedOver = updates
            }
        } catch {
            // Says nothing of who asked, or of where this is.
            Screen.log("a push was not answered: \(error)", quotesOthers: error is SharingError)
        }
    }

    /// Live updates that are still being read when the process ends: the system launches the app to go on with them.
    private var handedOver: CLLocationUpdate.Updates.Iterator?

    /// Ends what is under way, so that the completion is called at once; the timers above end it before that.
    func serviceExtensionWillTerminate() {
        for answer in self.answers.withLock({ $0 }) { answer.cancel() }
    }

    private static func answer(_ request: IncomingRequest, by sharer: Sharer, within timeLeft: Duration) async throws {
        let profile = sharer.profile
        let prompt: @Sendable (Question) -> Void = { Screen.show($0.words(in: profile)) }
        try await sharer.respond(to: request, within: timeLeft, handsOver: true, prompt: prompt) {
            try await Self.locate(within: min(Self.patience, max(.zero, timeLeft - Self.tellingTime)))
        }
    }

    /// Answers an alert to a medical emergency with the travel time, and asks the person only if they are near enough.
    private static func answer(_ alert: EmergencyAlert, by sharer: Sharer) async throws {
        let answered =
            alert.state == .locating
            ? try await sharer.respond(to: alert) { try await Self.locate(within: Self.patience) } : alert
        if let words = answered.words() { Screen.show(words) }
    }

    private static func locate(within patience: Duration) async throws -> SharedFix {
        let choice = SharedChoice()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for try await update in CLLocationUpdate.liveUpdates() {
                    if let location = update.location, let fix = try? SharedFix(location) {
                        if choice.consider(fix, isApproximate: update.accuracyLimited) { return }
                    }
                    if update.authorizationDenied || update.insufficientlyInUse { throw Failure.notAllowed }
                }
            }
            group.addTask { try await Task.sleep(for: patience) }
            _ = try await group.next()
        }
        guard let fix = choice.best else { throw Failure.noFix(within: patience) }
        return fix
    }
}

/// The choice of a fix, which the measuring task makes and the waiting one reads.
private final class SharedChoice: Sendable {
    private let choice = Mutex(FixChoice())

    var best: SharedFix? { self.choice.withLock { $0.best } }

    func consider(_ fix: SharedFix, isApproximate: Bool) -> Bool {
        self.choice.withLock { $0.consider(fix, isApproximate: isApproximate, now: .now) }
    }
}
