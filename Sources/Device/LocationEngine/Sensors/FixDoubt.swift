/// A reason not to use a fix.
public enum FixDoubt: Sendable, Hashable, CaseIterable {
    /// The fix was delayed, or its receiver's clock is not known yet (``ReceiverClock``).
    case late
    /// The receiver's known clock shows a future time.
    case future
    /// The fix is older than the last used one.
    case disordered
    /// The fix is at 0° north, 0° east, which receivers report when they have no position.
    case nowhere
    /// The device cannot have reached the position, according to the earlier fixes.
    case outlier
}
