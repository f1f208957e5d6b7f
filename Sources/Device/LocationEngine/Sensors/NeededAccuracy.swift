/// How precise positions must be for all streams, conditions and pushes that need them now.
public enum NeededAccuracy: Sendable, Hashable {
    /// 100 m suffice: for streams that ask for no more (`kCLLocationAccuracyHundredMeters` and coarser), for
    /// approximate places, for significant changes and visits.
    case hundredMetres
    /// As precise as possible: for all other needs, and for pushes.
    case best
}
