internal import WhereaboutsVocabulary

/// Why an exchange failed, as its caller sees it.
enum NetworkError: Error {
    /// No answer came in time; the request may have been handled.
    case timeout
    case refused
}

/// The network between machines: it carries messages late, twice, out of order, or not at all.
///
/// Each way between two machines draws from a separate generator, so that taking a message out of a scenario leaves the
/// fates of most others as they were.
struct Network {
    /// The network's delays and faults; a scenario changes them while it runs.
    struct Weather: Sendable, Hashable, Codable {
        /// The shortest and the longest time a message takes, in milliseconds.
        var delay: ClosedRange<Int> = 5...60
        /// The messages lost, of a thousand.
        var lossPerMille = 0
        /// The messages that arrive twice, of a thousand.
        var repeatPerMille = 0
        /// The messages that take up to 20 s more, and so arrive after later ones, of a thousand.
        var latePerMille = 0
    }

    /// One way from a machine to another.
    struct Way: Hashable {
        var from: NodeID
        var to: NodeID
    }

    var weather = Weather()
    /// Until when nothing passes on a way.
    private var cuts: [Way: Instant] = [:]
    private var generators: [Way: SeededGenerator] = [:]
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Lets nothing pass on a way; of two cuts the later end counts.
    mutating func cut(_ way: Way, until end: Instant) { self.cuts[way] = max(self.cuts[way] ?? end, end) }

    mutating func mend() { self.cuts = [:] }

    private func passes(_ way: Way, now: Instant) -> Bool { self.cuts[way].map { now >= $0 } ?? true }

    /// Draws when a message arrives; empty when it is lost.
    mutating func arrivals(on way: Way, now: Instant) -> [Duration] {
        guard self.passes(way, now: now) else { return [] }
        return self.draw(way) { random, weather in
            guard !Self.happens(weather.lossPerMille, &random) else { return [] }
            let count = Self.happens(weather.repeatPerMille, &random) ? 2 : 1
            return (0..<count).map { _ in Self.delay(weather, &random) }
        }
    }

    /// Draws how long a piece of a connection takes; nil when the connection breaks with it.
    ///
    /// TCP neither loses nor repeats data; if it cannot deliver, the connection ends.
    mutating func passage(on way: Way, now: Instant) -> Duration? {
        guard self.passes(way, now: now) else { return nil }
        return self.draw(way) { random, weather in
            // TCP retries for a while before it gives up.
            Self.happens(weather.lossPerMille / 4, &random) ? nil : Self.delay(weather, &random)
        }
    }

    private mutating func draw<Value>(_ way: Way, _ body: (inout SeededGenerator, Weather) -> Value) -> Value {
        let weather = self.weather
        let start = SeededGenerator(seed: self.seed ^ (way.from.number << 32 | way.to.number))
        return body(&self.generators[way, default: start], weather)
    }

    private static func happens(_ perMille: Int, _ random: inout SeededGenerator) -> Bool {
        perMille > 0 && Int.random(in: 0..<1000, using: &random) < perMille
    }

    private static func delay(_ weather: Weather, _ random: inout SeededGenerator) -> Duration {
        let usual = Duration.milliseconds(Int.random(in: weather.delay, using: &random))
        guard self.happens(weather.latePerMille, &random) else { return usual }
        return usual + .milliseconds(Int.random(in: 1000...20_000, using: &random))
    }
}
