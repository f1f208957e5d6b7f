public import WhereaboutsVocabulary

/// A decision worth a line in the device's log; holds no position, token or payload.
public enum Note: Sendable, Hashable {
    case promptPresented(BundleID, Prompt.Question)
    /// A question was taken back before anybody answered.
    case promptWithdrawn(BundleID)
    /// An API is refused: this Info.plist key is missing.
    case keyMissing(BundleID, key: String)
    /// The app's authorization changed.
    case authorizationChanged(BundleID, Authorization.Status)
    /// The app's accuracy changed.
    case accuracyChanged(BundleID, precise: Bool)
    case servicesSwitched(on: Bool)
    /// Sessions, streams or activities were not retaken after a launch and are gone.
    case sessionsDropped(BundleID, count: Int)
    /// The app was launched because there is something to deliver, or to go on with.
    case appLaunched(BundleID, Lifecycle.LaunchReason)
    /// The app did not come up, or crashed; it is left alone for a while.
    case appFailed(BundleID, Engine.ProcessEnd)
    /// The app's processes were stopped: there is nothing for it.
    case appSuspended(BundleID)
    /// The app's processes go on.
    case appResumed(BundleID)
    /// A client's stream was given its first position.
    case locationServed(BundleID, Principal.Role)
    /// The app learned that something happened to one of its conditions.
    case conditionServed(BundleID)
    /// The app has more conditions than are watched for it.
    case conditionsWaiting(BundleID, count: Int)
    /// The app did not receive the events of conditions in its time; they are not watched any more.
    case conditionsAbandoned(BundleID, count: Int)
    /// Records of conditions that were saved could not be used.
    case conditionsLost(BundleID, count: Int)
    /// A push reached the device.
    case pushReceived(PushID, BundleID)
    /// A push waits until something else wakes the device.
    case pushDeferred(PushID, BundleID)
    /// A newer push with the same collapse id took the place of this one.
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
    /// The app's topic was unregistered: it used up its share of the budget.
    case shareExhausted(BundleID)
    /// The app's topic is registered again.
    case shareReopened(BundleID)
    /// The extension was told to end.
    case extensionWarned(BundleID)
    /// The extension's time was over.
    case extensionKilled(BundleID)
    /// The extension failed too often in a row and is not started for a while.
    case extensionHeldBack(BundleID)
    /// The extension's process ended before it completed this many pushes.
    case extensionFailed(BundleID, Engine.ProcessEnd, pushes: Int)
    /// A client declared more than it may hold and was cut off.
    case declarationTooLarge(BundleID)

    /// Why a push did not reach the extension.
    public enum PushRefusal: Sendable, Hashable {
        /// The payload is no JSON object, or longer than one may be.
        case malformed
        /// No such app is installed, or it does not monitor pushes.
        case notRegistered
        case budgetExhausted
        /// The app has used up its share of the budget.
        case shareExhausted
        /// The push came after its expiration date, or waited until it.
        case expired
        /// The app is not authorized Always.
        case notAuthorized(Authorization.Status)
        /// Always was given on trial; the person is asked whether it is meant.
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
