/// A reason not to use a fix.
public enum FixDoubt: Sendable, Hashable, CaseIterable {
    /// The fix was delayed, or its receiver's clock is not known yet (``ReceiverClock``).
    case late
    /// The receiver's known clock shows a future time.
    case future
    /// The fix is older than the last one used.
    case disordered
    /// The fix is at 0° north, 0° east, which receivers report when they know nothing.
    case nowhere
    /// The device cannot have got there, by all that was measured before.
    case outlier
}
