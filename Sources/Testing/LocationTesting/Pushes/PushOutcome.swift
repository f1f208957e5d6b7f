/// The outcome of a location push.
public enum PushOutcome: Sendable, Hashable {
    /// The push is under way.
    case underWay
    /// The gateway keeps the push: the device is unreachable, or accepts no pushes for this app now.
    case kept
    /// A newer push for the same app replaced it at the gateway.
    case replaced
    /// The gateway dropped the push: it expired, or the app gave up its token, before the device was reachable.
    case dropped
    /// The gateway refused the push: the app never requested a token, gave it back, or was removed (`410 Unregistered`).
    case unregistered
    case lost
    /// The push reached the device, which did not deliver it to the extension.
    case refused(PushRefusal)
    /// The extension received the push and has not completed it.
    case handed
    /// The extension completed the push, this long after it reached the device.
    case completed(after: Duration)
    /// The extension's process ended before it completed the push.
    case abandoned
}

/// Why a push did not reach the extension.
public enum PushRefusal: Sendable, Hashable {
    /// The payload is not a JSON object.
    case malformed
    /// The app does not monitor location pushes.
    case notRegistered
    /// The device's budget is empty.
    case budgetExhausted
    /// The app used up its share of the device's budget.
    case shareExhausted
    /// The push arrived after its expiration date.
    case expired
    /// The app is not authorized Always.
    case notAuthorized
    /// Always is provisional: the person will be asked to confirm it.
    case provisional
    /// The app has no `.always` session, and the device has not saved one.
    case noAlwaysSession
    /// The extension or an entitlement is missing.
    case notEntitled
    /// Too many pushes wait for the extension.
    case tooManyWaiting
    /// The extension failed several times and is not launched for a while.
    case heldBack
}
