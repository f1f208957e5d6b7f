internal import Glibc
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

extension DeviceLog.Line {
    /// Creates a line from a decision of the engine.
    init(_ note: Note, time: WallTime) {
        let (bundle, event, text) = Self.words(note)
        self.init(time: time.microseconds, bundle: bundle?.rawValue ?? "", event: event, text: text)
    }

    private static func words(_ note: Note) -> (BundleID?, String, String) {
        switch note {
        case .promptPresented(let bundle, let question):
            (bundle, "prompt", "A person is asked: \(Self.words(question))")
        case .promptWithdrawn(let bundle):
            (bundle, "prompt-withdrawn", "The prompt was withdrawn before anybody answered.")
        case .keyMissing(let bundle, let key):
            (bundle, "key-missing", "A request of the app fails: its Info.plist lacks \(key).")
        case .authorizationChanged(let bundle, let status):
            (bundle, "authorization", "The authorization is now: \(Self.words(status)).")
        case .accuracyChanged(let bundle, let precise):
            (
                bundle, "accuracy",
                precise ? "The app may know the precise location." : "The app may know the approximate location."
            )
        case .servicesSwitched(let on):
            (nil, "location-services", on ? "Location services are on." : "Location services are off.")
        case .sessionsDropped(let bundle, let count):
            (
                bundle, "sessions-dropped",
                "The app did not resume \(count == 1 ? "a session" : "\(count) sessions") after it was started, and gets no location for "
                    + "it any more. Open it once to share again."
            )
        case .appLaunched(let bundle, .push):
            (bundle, "app-launched", "The app was launched to go on with what its push extension began.")
        case .appLaunched(let bundle, .location), .appLaunched(let bundle, .user):
            (bundle, "app-launched", "The app was launched: there is a location for it.")
        case .appFailed(let bundle, let end):
            (bundle, "app-failed", "The app \(Self.words(end)) and is not launched for a while.")
        case .appSuspended(let bundle):
            (bundle, "app-suspended", "The app was suspended: it has nothing to receive.")
        case .appResumed(let bundle):
            (bundle, "app-resumed", "The app was resumed.")
        case .locationServed(let bundle, .app):
            (bundle, "location-served", "The app was given the location.")
        case .locationServed(let bundle, .pushExtension):
            (bundle, "location-served", "The app's push extension was given the location.")
        case .pushReceived(_, let bundle):
            (bundle, "push-received", "A location push reached the device.")
        case .pushDeferred(_, let bundle):
            (bundle, "push-deferred", "A location push waits until something else wakes the device.")
        case .pushReplaced(_, let bundle):
            (bundle, "push-replaced", "A newer location push replaced a waiting one.")
        case .pushHanded(_, let bundle):
            (bundle, "push-handed", "A location push was handed to the extension.")
        case .pushCompleted(_, let bundle):
            (bundle, "push-completed", "The extension completed a location push.")
        case .pushRefused(_, let bundle, let reason):
            (bundle, "push-refused", "A location push did not reach the extension: \(Self.words(reason)).")
        case .budgetExhausted:
            (nil, "budget-exhausted", "The push budget is empty; topics are unregistered until it refills.")
        case .budgetReopened:
            (nil, "budget-reopened", "The push budget has refilled enough; topics are registered again.")
        case .shareExhausted(let bundle):
            (bundle, "share-exhausted", "The app used up its share of the push budget; its topic is unregistered.")
        case .shareReopened(let bundle):
            (bundle, "share-reopened", "The app's share has refilled enough; its topic is registered again.")
        case .extensionHeldBack(let bundle):
            (bundle, "extension-held-back", "The extension failed too often in a row; it is not started for a while.")
        case .extensionWarned(let bundle):
            (bundle, "extension-warned", "The extension was warned that its time is nearly over.")
        case .extensionKilled(let bundle):
            (bundle, "extension-killed", "The extension's time was over; it was killed.")
        case .extensionFailed(let bundle, let end, let pushes):
            (bundle, "extension-failed", "The extension \(Self.words(end)) before it completed \(pushes) push(es).")
        case .conditionServed(let bundle):
            (bundle, "condition-served", "The app received an event of one of its conditions.")
        case .conditionsWaiting(let bundle, let count):
            (
                bundle, "conditions-waiting",
                "\(count) condition(s) of the app are beyond its limit, or cannot be watched."
            )
        case .conditionsAbandoned(let bundle, let count):
            (
                bundle, "conditions-abandoned",
                "The app did not receive an event in its time; \(count) condition(s) are not watched any more."
            )
        case .conditionsLost(let bundle, let count):
            (bundle, "conditions-lost", "\(count) saved condition(s) could not be read and are gone.")
        case .declarationTooLarge(let bundle):
            (bundle, "cut-off", "The app declared more sessions or streams than it may hold and was disconnected.")
        }
    }

    private static func words(_ question: Prompt.Question) -> String {
        switch question {
        case .whenInUse: "may this app use the location while it is in use?"
        case .always: "may this app use the location at any time?"
        case .confirmAlways: "may this app go on using the location at any time?"
        case .fullAccuracy: "may this app know the precise location this time?"
        }
    }

    private static func words(_ end: Engine.ProcessEnd) -> String {
        switch end {
        // The supervisor of location-launch exits with 124. The limits that it sets end a process with 125, SIGXFSZ or
        // SIGXCPU (ADR 0019).
        case .exited(124): "left processes that did not end in time"
        case .exited(125): "started more processes than it may and was ended"
        case .exited(let status): "exited with status \(status)"
        case .signalled(SIGXFSZ): "wrote more than it may and was ended"
        case .signalled(SIGXCPU): "used more processor time than it may and was ended"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .neverStarted(let code): "could not be started (error \(code))"
        case .neverConnected: "was started, showed nothing in its time, and was killed"
        }
    }

    static func words(_ status: Authorization.Status) -> String {
        switch status {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .whenInUse: "when in use"
        case .always: "always"
        }
    }

    static func words(_ reason: Note.PushRefusal) -> String {
        switch reason {
        case .malformed: "its payload is not a JSON object, or is too long"
        case .shareExhausted: "the app has used up its share of the push budget"
        case .heldBack: "the extension failed too often and is held back"
        case .notRegistered: "the app is not installed or does not monitor location pushes"
        case .budgetExhausted: "the push budget is empty"
        case .expired: "it arrived after its expiration date, or expired while it waited"
        case .notAuthorized(let status): "the app is not authorized always (\(Self.words(status)))"
        case .provisional: "always is provisional; a person is asked to confirm it"
        case .noAlwaysSession: "the app has no service session that asks for Always"
        case .notEntitled: "the extension or an entitlement is missing"
        case .tooManyWaiting: "too many pushes wait for the extension"
        }
    }
}
