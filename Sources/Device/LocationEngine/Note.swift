public import WhereaboutsVocabulary

/// A decision for the device's log; contains no position, token or payload.
public enum Note: Sendable, Hashable {
    case promptPresented(BundleID, Prompt.Question)
    /// A prompt was withdrawn before a person answered.
    case promptWithdrawn(BundleID)
    /// An API is refused: this Info.plist key is missing.
    case keyMissing(BundleID, key: String)
    /// The app's authorization changed.
    case authorizationChanged(BundleID, Authorization.Status)
    /// The app's accuracy changed.
    case accuracyChanged(BundleID, precise: Bool)
    case servicesSwitched(on: Bool)
    /// Sessions, streams or activities were dropped, because the app did not retake them after a launch.
    case sessionsDropped(BundleID, count: Int)
    /// The app was launched because it has something to receive or to continue.
    case appLaunched(BundleID, Lifecycle.LaunchReason)
    /// The app did not start, or crashed; it is not launched for a while.
    case appFailed(BundleID, Engine.ProcessEnd)
    /// The app's processes were suspended, because the app has nothing to receive.
    case appSuspended(BundleID)
    /// The app's processes were resumed.
    case appResumed(BundleID)
    /// A client's stream received its first position.
    case locationServed(BundleID, Principal.Role)
    /// The app received an event of one of its conditions.
    case conditionServed(BundleID)
    /// The app has more conditions than may be watched.
    case conditionsWaiting(BundleID, count: Int)
    /// The app did not receive events of conditions in time; these conditions are no longer watched.
    case conditionsAbandoned(BundleID, count: Int)
    /// Saved records of conditions could not be used.
    case conditionsLost(BundleID, count: Int)
    /// A push reached the device.
    case pushReceived(PushID, BundleID)
    /// A push waits until something else wakes the device.
    case pushDeferred(PushID, BundleID)
    /// A newer push with the same collapse ID replaced this one.
    case pushReplaced(PushID, BundleID)
    /// A push was handed to the extension.
    case pushHanded(PushID, BundleID)
    /// The extension completed a push.
    case pushCompleted(PushID, BundleID)
    /// A push did not reach the extension.
    case pushRefused(PushID, BundleID, PushRefusal)
    /// Topics were unregistered: the budget is empty.
    case budgetExhausted
    case budgetReopened
    /// The app's topic was unregistered, because the app used up its share of the budget.
    case shareExhausted(BundleID)
    /// The app's topic is registered again.
    case shareReopened(BundleID)
    /// The extension was asked to end.
    case extensionWarned(BundleID)
    /// The extension was killed, because its time was over.
    case extensionKilled(BundleID)
    /// The extension failed too often in a row and is not started for a while.
    case extensionHeldBack(BundleID)
    /// The extension's process ended before it completed this many pushes.
    case extensionFailed(BundleID, Engine.ProcessEnd, pushes: Int)
    /// A client declared more than it may hold and was disconnected.
    case declarationTooLarge(BundleID)

    /// Why a push did not reach the extension.
    public enum PushRefusal: Sendable, Hashable {
        /// The payload is not a JSON object, or is too long.
        case malformed
        /// The app is not installed, or does not monitor pushes.
        case notRegistered
        case budgetExhausted
        /// The app has used up its share of the budget.
        case shareExhausted
        /// The push expired before it arrived, or while it waited.
        case expired
        /// The app is not authorized Always.
        case notAuthorized(Authorization.Status)
        /// Always is provisional; the person is asked to confirm it.
        case provisional
        /// No `.always` session of the app is held or remembered.
        case noAlwaysSession
        /// The bundle lacks the extension or an entitlement.
        case notEntitled
        /// Too many pushes wait for the extension.
        case tooManyWaiting
        /// The extension failed too often in a row and is held back.
        case heldBack
    }
}
