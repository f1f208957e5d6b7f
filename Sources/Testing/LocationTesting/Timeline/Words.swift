internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost

/// The engine's values in plain words.
extension UpdateDiagnostics {
    var words: String {
        let names: [(UpdateDiagnostics, String)] = [
            (.authorizationDenied, "authorizationDenied"),
            (.authorizationDeniedGlobally, "authorizationDeniedGlobally"),
            (.authorizationRestricted, "authorizationRestricted"),
            (.authorizationRequestInProgress, "authorizationRequestInProgress"),
            (.insufficientlyInUse, "insufficientlyInUse"),
            (.serviceSessionRequired, "serviceSessionRequired"),
            (.locationUnavailable, "locationUnavailable"),
            (.accuracyLimited, "accuracyLimited"),
            (.stationary, "stationary"),
            (.rangingUnavailable, "rangingUnavailable"),
        ]
        return names.filter { self.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension SessionDiagnostics {
    var words: String {
        let names: [(SessionDiagnostics, String)] = [
            (.authorizationDenied, "authorizationDenied"),
            (.authorizationDeniedGlobally, "authorizationDeniedGlobally"),
            (.authorizationRestricted, "authorizationRestricted"),
            (.authorizationRequestInProgress, "authorizationRequestInProgress"),
            (.insufficientlyInUse, "insufficientlyInUse"),
            (.alwaysAuthorizationDenied, "alwaysAuthorizationDenied"),
            (.serviceSessionRequired, "serviceSessionRequired"),
            (.fullAccuracyDenied, "fullAccuracyDenied"),
        ]
        let set = names.filter { self.contains($0.0) }.map(\.1)
        return set.isEmpty ? "no problem" : set.joined(separator: ", ")
    }
}

extension Note {
    /// The decision, and the lane of its subject.
    var words: (lane: String, text: String) {
        switch self {
        case .promptPresented(let bundle, let question):
            (bundle.rawValue, "a person is asked: \(Person.Question(question).words)")
        case .promptWithdrawn(let bundle): (bundle.rawValue, "the question is taken back")
        case .keyMissing(let bundle, let key): (bundle.rawValue, "is refused: the Info.plist lacks \(key)")
        case .authorizationChanged(let bundle, let status):
            (bundle.rawValue, "its authorization is now: \(status.words)")
        case .accuracyChanged(let bundle, let precise):
            (bundle.rawValue, "its accuracy is now: \(precise ? "full" : "reduced")")
        case .servicesSwitched(let on): ("device", "location services are now \(on ? "on" : "off")")
        case .sessionsDropped(let bundle, let count):
            (
                bundle.rawValue,
                "\(count) session(s), stream(s) or activities were not retaken after the launch and are gone"
            )
        case .appLaunched(let bundle, let reason): (bundle.rawValue, "must be launched: \(reason.words)")
        case .appFailed(let bundle, let end):
            (bundle.rawValue, "did not start, or crashed (\(end.words)), and is not started again for a while")
        case .appSuspended(let bundle): (bundle.rawValue, "may be suspended: there is nothing for it")
        case .appResumed(let bundle): (bundle.rawValue, "must be resumed")
        case .locationServed(let bundle, let role):
            (bundle.rawValue, role == .app ? "is served from now on" : "its extension is served from now on")
        case .pushReceived(_, let bundle): (bundle.rawValue, "a push reached the device")
        case .pushDeferred(_, let bundle): (bundle.rawValue, "a push waits for the device to wake")
        case .pushReplaced(_, let bundle): (bundle.rawValue, "a push that waited is replaced by a newer one")
        case .pushHanded(_, let bundle): (bundle.rawValue, "a push is handed to its extension")
        case .pushCompleted(_, let bundle): (bundle.rawValue, "its extension completed a push")
        case .pushRefused(_, let bundle, let reason):
            (bundle.rawValue, "a push is refused: \(WhereaboutsLocationTesting.PushRefusal(reason))")
        case .budgetExhausted: ("pushes", "the budget is empty; topics are unregistered")
        case .budgetReopened: ("pushes", "enough of the budget is back; topics are registered again")
        case .shareExhausted(let bundle): (bundle.rawValue, "its share of the budget is used up")
        case .shareReopened(let bundle): (bundle.rawValue, "some of its share of the budget is back")
        case .extensionHeldBack(let bundle):
            (bundle.rawValue, "its extension keeps failing and is not started again for a while")
        case .extensionWarned(let bundle): (bundle.rawValue, "its extension is warned that its time is nearly over")
        case .extensionKilled(let bundle): (bundle.rawValue, "its extension's time is over; it is killed")
        case .extensionFailed(let bundle, let end, let pushes):
            (bundle.rawValue, "its extension ended (\(end.words)) before it completed \(pushes) push(es)")
        case .conditionServed(let bundle): (bundle.rawValue, "gets an event of a condition")
        case .conditionsWaiting(let bundle, let count):
            (bundle.rawValue, "\(count) condition(s) are beyond its limit, or cannot be watched")
        case .conditionsAbandoned(let bundle, let count):
            (bundle.rawValue, "did not receive an event in its time; \(count) condition(s) are not watched any more")
        case .conditionsLost(let bundle, let count):
            (bundle.rawValue, "\(count) saved condition(s) cannot be read and are gone")
        case .declarationTooLarge(let bundle): (bundle.rawValue, "has too many sessions or streams and is disconnected")
        }
    }
}

extension Engine.ProcessEnd {
    var words: String {
        switch self {
        case .exited(let status): "status \(status)"
        case .signalled(let signal): "signal \(signal)"
        case .neverStarted(let code): "not started, error \(code)"
        case .neverConnected: "killed, as it made no Core Location call in its time"
        }
    }
}

extension Engine.Indicator {
    var words: String {
        switch self.kind {
        case .locationInBackground: "\(self.bundle) uses the location"
        case .liveActivity(let title): "\(title) (\(self.bundle))"
        case .sharingStopped: "\(self.bundle) does not share the location until it is opened"
        }
    }
}

extension Lifecycle.LaunchReason {
    var words: String {
        switch self {
        case .user: "somebody started it"
        case .location: "there is something to deliver"
        case .push: "its extension handed over"
        }
    }
}

extension Authorization.Status {
    var words: String {
        switch self {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .whenInUse: "when in use"
        case .always: "always"
        }
    }
}

extension Person.Question {
    var words: String {
        switch self {
        case .whenInUse: "may it use the location while it is in use?"
        case .always: "may it use the location at any time?"
        case .confirmAlways: "it used the location unseen; may it go on?"
        case .fullAccuracy(let purpose): "may it know the precise location for \(purpose)?"
        }
    }
}

extension Prompt.Answer {
    var words: String {
        switch self {
        case .dontAllow: "don't allow"
        case .allowOnce(let precise): precise ? "allow once" : "allow once, approximate"
        case .allowWhileUsing(let precise): precise ? "allow while using" : "allow while using, approximate"
        case .keepWhileUsing: "keep only while using"
        case .changeToAlways: "change to always"
        case .allowFullAccuracy: "allow the precise location once"
        case .denyFullAccuracy: "don't allow the precise location"
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

extension ClientMessage {
    /// The message in words, for people; nil: another entry already covers the message, or people do not need it.
    var words: String? {
        switch self {
        case .pushTokenRequest: "asks for its location push token"
        case .stopMonitoringPushes: "stops monitoring location pushes"
        case .authorizationRequest(let request): "requests \(request == .always ? "Always" : "When In Use")"
        case .fullAccuracyRequest(let purpose, _): "requests full accuracy for \(purpose)"
        case .monitorChange(let change): change.words
        case .declaration, .pushCompleted, .phaseReport, .geocodeRequest: nil
        }
    }
}

extension MonitorChange {
    /// The change in words; nil: another entry already covers the change.
    fileprivate var words: String? {
        switch self.kind {
        case .add(let identifier, _, assuming: let state, _):
            "adds the condition \(identifier)" + (state == .unknown ? "" : ", assuming \(state)")
        case .remove(let identifier): "removes the condition \(identifier)"
        case .handled: nil
        }
    }
}

extension ConditionEvent {
    var words: String {
        self.diagnostics.isEmpty
            ? "\(self.identifier) is \(self.state)"
            : "\(self.identifier) has no events: \(self.diagnostics.words.joined(separator: ", "))"
    }
}
