internal import LocationEngine

/// The engine's values in plain words.
extension UpdateDiagnostics {
    var words: String {
        let names: [(UpdateDiagnostics, String)] = [
            (.authorizationDenied, "authorizationDenied"),
            (.authorizationRequestInProgress, "authorizationRequestInProgress"),
            (.insufficientlyInUse, "insufficientlyInUse"),
            (.serviceSessionRequired, "serviceSessionRequired"),
            (.locationUnavailable, "locationUnavailable"),
        ]
        return names.filter { self.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension SessionDiagnostics {
    var words: String {
        let names: [(SessionDiagnostics, String)] = [
            (.authorizationDenied, "authorizationDenied"),
            (.authorizationRequestInProgress, "authorizationRequestInProgress"),
            (.insufficientlyInUse, "insufficientlyInUse"),
            (.alwaysAuthorizationDenied, "alwaysAuthorizationDenied"),
        ]
        let set = names.filter { self.contains($0.0) }.map(\.1)
        return set.isEmpty ? "nothing stands in its way" : set.joined(separator: ", ")
    }
}

extension Note {
    /// Whom the decision is about, and the decision.
    var words: (lane: String, text: String) {
        switch self {
        case .promptPresented(let bundle, let prompt):
            (bundle.rawValue, "a person is asked: \(Person.Question(prompt).words)")
        case .usageDescriptionMissing(let bundle, let key):
            (bundle.rawValue, "nobody can be asked: the Info.plist lacks \(key)")
        case .authorizationChanged(let bundle, let status):
            (bundle.rawValue, "its authorization is now: \(status.words)")
        case .sessionsDropped(let bundle, let count):
            (bundle.rawValue, "\(count) session(s) were not retaken after the launch and are gone")
        case .locationServed(let bundle, let role):
            (bundle.rawValue, role == .app ? "is served from now on" : "its extension is served from now on")
        case .pushHanded(_, let bundle): (bundle.rawValue, "a push is handed to its extension")
        case .pushCompleted(_, let bundle): (bundle.rawValue, "its extension completed a push")
        case .pushRefused(_, let bundle, let reason):
            (bundle.rawValue, "a push is refused: \(LocationTesting.PushRefusal(reason))")
        case .budgetExhausted: ("pushes", "the budget is empty; topics are unregistered")
        case .budgetReopened: ("pushes", "enough of the budget is back; topics are registered again")
        case .extensionWarned(let bundle): (bundle.rawValue, "its extension is told that its time is nearly over")
        case .extensionKilled(let bundle): (bundle.rawValue, "its extension's time is over; it is killed")
        case .extensionFailed(let bundle, _, let pushes):
            (bundle.rawValue, "its extension ended before it completed \(pushes) push(es)")
        case .declarationTooLarge(let bundle): (bundle.rawValue, "declared more than it may hold and is cut off")
        }
    }
}

extension Authorization.Status {
    var words: String {
        switch self {
        case .notDetermined: "not determined"
        case .denied: "denied"
        case .whenInUse: "when in use"
        case .always: "always"
        }
    }
}

extension Person.Question {
    init(_ prompt: Authorization.Prompt) {
        self =
            switch prompt {
            case .whenInUse: .whenInUse
            case .always: .always
            }
    }

    var words: String {
        switch self {
        case .whenInUse: "may it use the location while it is in use?"
        case .always: "may it use the location at any time?"
        }
    }
}

extension Person.Answer {
    var words: String {
        switch self {
        case .dontAllow: "don't allow"
        case .allowWhileUsing: "allow while using"
        case .allowAlways: "change to always"
        }
    }
}

extension Person.Setting {
    var words: String {
        switch self {
        case .never: "never"
        case .askNextTime: "ask next time"
        case .whileUsing: "while using"
        case .always: "always"
        }
    }
}
