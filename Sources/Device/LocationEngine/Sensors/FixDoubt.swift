/// A reason not to use a fix.
public enum FixDoubt: Sendable, Hashable, CaseIterable {
    /// It was held up on its way, or its receiver's clock is not known yet (``ReceiverClock``).
    case late
    /// Its receiver's clock, which was known, says a time to come.
    case future
    /// It was measured before the one that was used last.
    case disordered
    /// It is at 0° north, 0° east: a receiver's word for not knowing.
    case nowhere
    /// The device cannot have got there, by all that was measured before.
    case outlier
}
