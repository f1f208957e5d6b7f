/// How exact positions have to be for all who need them now.
public enum NeededAccuracy: Sendable, Hashable {
    /// 100 m suffice: for streams that ask for no more (`kCLLocationAccuracyHundredMeters` and coarser), for places of
    /// reduced accuracy, for significant changes and visits.
    case hundredMetres
    /// As exact as can be: for all else, and for pushes.
    case best
}
