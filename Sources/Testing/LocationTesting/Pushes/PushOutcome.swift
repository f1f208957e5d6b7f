/// The outcome of a location push.
public enum PushOutcome: Sendable, Hashable {
    /// It is on its way.
    case underWay
    /// The gateway keeps it: the device is unreachable, or takes no pushes for this app now.
    case kept
    /// A newer push for the same app replaced it at the gateway.
    case replaced
    /// The gateway dropped it: it expired, or the app gave up its token, before the device was reachable.
    case dropped
    /// The gateway refused it: the app never asked for a token, gave it back, or was removed (`410 Unregistered`).
    case unregistered
    case lost
    /// It reached the device, which did not deliver it to the extension.
    case refused(PushRefusal)
    /// The extension has it and has not completed it.
    case handed
    /// The extension completed it, this long after the push reached the device.
    case completed(after: Duration)
    /// The extension's process ended before it completed the push.
    case abandoned
}

/// Why a push did not reach the extension.
public enum PushRefusal: Sendable, Hashable {
    /// The payload is no JSON object.
    case malformed
    /// The app does not monitor location pushes.
    case notRegistered
    /// The device's budget is empty.
    case budgetExhausted
    /// The app used up its share of the device's budget.
    case shareExhausted
    /// It arrived after its expiration date.
    case expired
    /// The app is not authorized Always.
    case notAuthorized
    /// Always is provisional: the person will be asked to confirm it.
    case provisional
    /// The app has no `.always` session, and none is remembered.
    case noAlwaysSession
    /// The extension or an entitlement is missing.
    case notEntitled
    /// Too many pushes wait for the extension.
    case tooManyWaiting
    /// The extension failed again and again and is left alone.
    case heldBack
}
