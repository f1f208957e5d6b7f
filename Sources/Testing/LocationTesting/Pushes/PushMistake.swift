/// A mistake of a location push service extension that a virtual device detects.
///
/// Each was found in public code for Apple's devices (docs/ios.md). The mistakes of an app's extension are
/// ``VirtualApp/pushMistakes``; they are also in the timeline, and do not fail a test by themselves.
public enum PushMistake: Sendable, Hashable, CustomStringConvertible {
    /// The extension called the completion while its own requests were under way.
    case completedBeforeReply(requests: Int)
    /// The extension was killed with a push that it did not complete, and had no stream of updates and no request under way.
    case neverCompleted
    /// The extension accepted a position with a negative accuracy.
    case tookInvalidPosition
    /// The extension wrote a position, or a value of the payload, to a log.
    case loggedPrivateValue
    /// A request may take longer than the extension has left.
    case timeoutBeyondTime(timeout: Duration, left: Duration)
    /// The extension was killed while it waited for a position.
    case noTimerForPosition
    /// The extension called the completion of a push more than once.
    case completedTwice
    /// The payload or the app's defaults hold a secret or an address in clear text under this key.
    case trustsClearValue(key: String)
    /// The extension requested a position although the payload has other keys than its server writes.
    case guessesPayload
    /// The extension stopped its updates after an old position.
    case tookOldPosition(age: Duration)
    /// The extension asked a geocoder.
    case askedGeocoder

    /// The mistake, and its remedy.
    public var description: String {
        switch self {
        case .completedBeforeReply(let requests):
            "called the completion while \(requests) request(s) were under way: the process ends before they are sent. Call it after "
                + "the reply"
        case .neverCompleted:
            "never called the completion, and was killed at the end of its time. Call it on every path, also when there is nothing to do"
        case .tookInvalidPosition:
            "was satisfied with a position of negative accuracy, which is not a position. Skip it, and wait for the next"
        case .loggedPrivateValue:
            "wrote a position or a value of the payload to a log, which others can read. Log what failed, and no values"
        case .timeoutBeyondTime(let timeout, let left):
            "sent a request that may take \(timeout.words), and has \(left.words) left. Give it what measuring left"
        case .noTimerForPosition:
            "still waited for a position when it was killed. End the measurement with a timer, and send the best position so far, or why "
                + "there is none"
        case .completedTwice:
            "called the completion of a push twice. End the work in one place, such as the return of the async form"
        case .trustsClearValue(let key):
            "takes a secret or an address in clear from \"\(key)\": anyone who can send a push or read a backup then decides where positions "
                + "go. Keep the address in the app, and keys in the keychain"
        case .guessesPayload:
            "requested a position for a push whose keys are not its server's. Decode one form, and refuse all others"
        case .tookOldPosition(let age):
            "was satisfied with a position that was \(age.words) old. Compare the timestamp, and wait for the next"
        case .askedGeocoder:
            "asked a geocoder, which costs time and tells others the position. Send coordinates, and let the reader look them up"
        }
    }
}

extension Duration {
    fileprivate var words: String { "\(self.components.seconds) s" }
}
