public import WhereaboutsSharing

/// The choice of a fix to answer with: the first good one at once, otherwise the best one when the time is over.
///
/// A stream of updates may begin with a fix that the system stored long ago.
public struct FixChoice: Sendable {
    /// A fix that is at least this exact and this fresh is taken at once.
    ///
    /// Source: Home Assistant's companion app for iOS.
    static let good = (meters: 100.0, age: Duration.seconds(30))
    /// A fix that is less exact or older than this is never told.
    ///
    /// Source: Home Assistant's companion app for iOS.
    static let useful = (meters: 1500.0, age: Duration.seconds(600))
    /// The age that an approximate fix may have.
    ///
    /// Source: Apple's header: such a fix may be 20 minutes old.
    static let approximateAge = Duration.seconds(1200)

    /// The best fix so far; nil if none is worth telling.
    public private(set) var best: SharedFix?

    /// Creates a choice without a fix.
    public init() {}

    /// Considers a fix.
    ///
    /// - Parameters:
    ///   - fix: the fix, which is valid: `SharedFix` takes no negative accuracy.
    ///   - isApproximate: whether the person allows the app approximate fixes only.
    ///   - now: the present time.
    /// - Returns: whether to answer with it at once.
    public mutating func consider(_ fix: SharedFix, isApproximate: Bool, now: WallTime) -> Bool {
        let age = fix.time.duration(to: now)
        if isApproximate {
            guard age <= Self.approximateAge else { return false }
            self.best = fix
            return true
        }
        guard fix.horizontalAccuracy <= Self.useful.meters, age <= Self.useful.age else { return false }
        if let best, best.horizontalAccuracy < fix.horizontalAccuracy { return false }
        self.best = fix
        return fix.horizontalAccuracy <= Self.good.meters && age <= Self.good.age
    }
}
