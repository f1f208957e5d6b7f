/// A rule that every app keeps on every device, checked while a story is played.
///
/// A rule for push extensions has the name of the ``PushMistake`` that breaks it.
public enum Rule: String, Sendable, Hashable, Codable, CaseIterable {
    /// An extension completes a push after its requests ended.
    case completedBeforeReply
    /// An extension completes each push in its time.
    case neverCompleted
    /// An extension skips positions of negative accuracy.
    case tookInvalidPosition
    /// Neither an app nor its extension writes positions or payloads to a log.
    case loggedPrivateValue
    /// An extension's requests end within its time.
    case timeoutBeyondTime
    /// An extension stops waiting for a position in time.
    case noTimerForPosition
    /// An extension completes each push once.
    case completedTwice
    /// Payloads and defaults hold no secrets and no addresses.
    case trustsClearValue
    /// An extension refuses payloads of other servers.
    case guessesPayload
    /// An extension skips old positions.
    case tookOldPosition
    /// An extension does not use a geocoder.
    case askedGeocoder
    /// An app asks for authorization only in the foreground.
    case asksInForeground
    /// An app that is launched again creates its sessions, activities and updates again.
    case retakesSessions
    /// An app that is launched for a condition opens its monitor and awaits its events.
    case awaitsConditions
    /// An app awaits no diagnostics of a session that it invalidated: such a loop ends at once.
    case renewsSessions
    /// An app's `main` does not throw.
    case endsWithoutError
    /// An app uses no Core Location object, and no object of its own, of a launch that ended.
    case forgetsEndedLaunches
}

extension PushMistake {
    /// The rule that forbids the mistake.
    var rule: Rule {
        switch self {
        case .completedBeforeReply: .completedBeforeReply
        case .neverCompleted: .neverCompleted
        case .tookInvalidPosition: .tookInvalidPosition
        case .loggedPrivateValue: .loggedPrivateValue
        case .timeoutBeyondTime: .timeoutBeyondTime
        case .noTimerForPosition: .noTimerForPosition
        case .completedTwice: .completedTwice
        case .trustsClearValue: .trustsClearValue
        case .guessesPayload: .guessesPayload
        case .tookOldPosition: .tookOldPosition
        case .askedGeocoder: .askedGeocoder
        }
    }
}

extension Rule {
    /// The rules that an extension with a push can break.
    static let ofExtensions = Set(Rule.allCases).subtracting([
        .asksInForeground, .retakesSessions, .awaitsConditions, .renewsSessions, .endsWithoutError,
        .forgetsEndedLaunches,
    ])
}
