internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// A receiver with errors drawn from a seed: they wander slowly, flicker, and now and then leap.
struct ModelReceiver: Sendable {
    /// The surroundings.
    enum Kind: String, CaseIterable, Sendable {
        /// σ 3 m, wandering over minutes.
        case openSky = "open sky"
        /// σ 10 m, told as 12 m.
        case town = "town"
        /// As in a town, and thrice a day 200 m off at a claimed 1.7 m, five times in three minutes (Tracelet#294).
        case lies = "indoors, with lies"
        /// σ 50 m, each fix on its own, told as 40 to 150 m.
        case network = "Wi-Fi and cells"
    }

    private let kind: Kind
    private var generator: SeededGenerator
    private var north = 0.0
    private var east = 0.0
    private var last = 0.0

    init(_ kind: Kind, seed: UInt64) {
        self.kind = kind
        self.generator = SeededGenerator(seed: seed)
    }

    /// Measures where the device is.
    mutating func observe(_ place: QuantizedCoordinate, second: Double, speed: Double) -> Observation {
        let sigma = self.sigma
        // An Ornstein-Uhlenbeck process over five minutes, by its exact step to first order.
        let share = self.kind == .network ? 1 : min(1, max(second - self.last, 0) / 300)
        let (kept, new) = (1 - share, (share * (2 - share)).squareRoot() * sigma)
        self.north = self.north * kept + self.generator.normal() * new
        self.east = self.east * kept + self.generator.normal() * new
        self.last = second
        var (north, east) = (
            self.north + self.generator.normal() * sigma / 6, self.east + self.generator.normal() * sigma / 6
        )
        var accuracy = self.told
        if self.kind == .lies, second.truncatingRemainder(dividingBy: 28_800) < 180, Int(second / 10).isMultiple(of: 4)
        {
            let heading = self.generator.normal()
            (north, east, accuracy) = (north + 200 * (heading < 0 ? 1 : -1), east + 60 * heading, 1.7)
        }
        return Observation(
            second: second,
            point: place.offset(east: east, north: north),
            accuracy: accuracy,
            speed: self.kind == .network ? nil : max(0, speed + self.generator.normal() * 0.1)
        )
    }

    private var sigma: Double {
        switch self.kind {
        case .openSky: 3
        case .town, .lies: 10
        case .network: 50
        }
    }

    private var told: Double {
        mutating get {
            switch self.kind {
            case .openSky: 4.6
            case .town, .lies: 12
            case .network: 40 + 110 * Double.random(in: 0..<1, using: &self.generator)
            }
        }
    }
}
