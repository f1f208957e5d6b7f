/// Figures of one measurement over many seeds: the median, the worst, and the seed that shows it.
///
/// ```swift
/// let delays = Figures.over(seeds: 1...20) { seed in
///     let device = VirtualDevice(seed: seed)
///     let app = device.install(.weather)
///     device.person.answersAll(.allowWhileUsing)
///     device.person.open(app)
///     device.run(until: "it is served") { app.isServed }
///     return device.now
/// }
/// #expect(try #require(delays.worst) < .seconds(30), "\(delays)")
/// ```
public struct Figures<Value: Comparable & Sendable>: Sendable, CustomStringConvertible {
    /// The measurement of one seed.
    public struct Figure: Sendable {
        /// The seed.
        public let seed: UInt64
        /// The value; nil: the measured event did not happen.
        public let value: Value?
    }

    /// All measurements, the smallest first.
    ///
    /// Measurements without a value come last.
    public let all: [Figure]

    /// Measures once for each seed, one after the other.
    ///
    /// - Parameters:
    ///   - seeds: the seeds; at least one.
    ///   - measure: measures on a device with this seed; nil: the event did not happen, which is worse than every value.
    /// - Returns: the figures.
    public static func over(
        seeds: ClosedRange<UInt64>,
        _ measure: (UInt64) throws -> Value?
    ) rethrows -> Self {
        var all: [Figure] = []
        for seed in seeds { all.append(Figure(seed: seed, value: try measure(seed))) }
        return Self(all: all.sorted { Self.isLess($0.value, $1.value) })
    }

    private static func isLess(_ one: Value?, _ other: Value?) -> Bool {
        guard let one else { return false }
        guard let other else { return true }
        return one < other
    }

    /// The value that half of the seeds do not exceed; nil: half of them have no value.
    public var median: Value? { self.quantile(0.5).value }

    /// The greatest value; nil: at least one seed has no value.
    public var worst: Value? { self.quantile(1).value }

    /// Finds the measurement that a part of the seeds does not exceed.
    ///
    /// - Parameter part: the part of the seeds, 0...1.
    /// - Returns: the measurement, with its seed.
    public func quantile(_ part: Double) -> Figure {
        precondition((0...1).contains(part), "a quantile must be from 0 to 1")
        let rank = (part * Double(self.all.count)).rounded(.up)
        return self.all[max(Int(rank), 1) - 1]
    }

    /// The median and the worst with its seed, for the message of a test.
    public var description: String {
        let (median, worst) = (self.quantile(0.5), self.quantile(1))
        let words = [median, worst].map { $0.value.map { "\($0)" } ?? "did not happen" }
        return "\(self.all.count) seeds: median \(words[0]), worst \(words[1]) (seed \(worst.seed))"
    }
}
