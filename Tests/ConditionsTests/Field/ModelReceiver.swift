internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// A receiver with seeded random errors, which wander slowly, flicker, and sometimes jump.
struct ModelReceiver: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// σ 3 m, wandering over minutes.
        case openSky = "open sky"
        /// σ 10 m, told as 12 m.
        case town = "town"
        /// As in a town. Three times a day it is 200 m off at a claimed 1.7 m, for ten seconds in forty over three minutes
        /// (Tracelet#294).
        case lies = "indoors, with lies"
        /// σ 50 m, each fix on its own, told as 40 to 150 m.
        case network = "Wi-Fi and cells"
    }

    /// The noise of a receiver.
    struct Noise: Sendable {
        /// The error along each axis, in metres.
        var sigma: Double
        /// For how long the error stays alike, in seconds; 0: each fix has its own.
        var wander: Double
        /// The accuracy that the receiver tells, in metres.
        var told: ClosedRange<Double>
        /// The error of the measured speed, in metres a second; nil: the receiver measures none.
        var speed: Double?
        var lies = false
    }

    private let noise: Noise
    private var generator: SeededGenerator
    private var north = 0.0
    private var east = 0.0
    private var last = 0.0

    init(_ kind: Kind, seed: UInt64) {
        self.init(kind.noise, seed: seed)
    }

    init(_ noise: Noise, seed: UInt64) {
        self.noise = noise
        self.generator = SeededGenerator(seed: seed)
    }

    /// Measures where the device is.
    mutating func observe(_ place: QuantizedCoordinate, second: Double, speed: Double) -> Observation {
        let noise = self.noise
        // An Ornstein-Uhlenbeck process, by its exact step to first order.
        let share = noise.wander > 0 ? min(1, max(second - self.last, 0) / noise.wander) : 1
        let (kept, new) = (1 - share, (share * (2 - share)).squareRoot() * noise.sigma)
        self.north = self.north * kept + self.generator.normal() * new
        self.east = self.east * kept + self.generator.normal() * new
        self.last = second
        let flicker = noise.wander > 0 ? noise.sigma / 6 : 0
        var north = self.north + self.generator.normal() * flicker
        var east = self.east + self.generator.normal() * flicker
        var accuracy = Double.random(in: noise.told, using: &self.generator)
        let ofDay = (second + 864_000).truncatingRemainder(dividingBy: 28_800)
        if noise.lies, ofDay < 180, Int(ofDay / 10).isMultiple(of: 4) {
            let heading = self.generator.normal()
            (north, east, accuracy) = (north + 200 * (heading < 0 ? 1 : -1), east + 60 * heading, 1.7)
        }
        return Observation(
            second: second,
            point: place.offset(east: east, north: north),
            accuracy: accuracy,
            speed: noise.speed.map { max(0, speed + self.generator.normal() * $0) }
        )
    }
}

extension ModelReceiver.Kind {
    /// The model; errors of satellite positions stay alike for about five minutes.
    ///
    /// Doppler noise: 0.1 m/s under open sky (u-blox M8 data sheet: 0.05), 0.4 in towns, where reflections shift it.
    var noise: ModelReceiver.Noise {
        switch self {
        case .openSky: .init(sigma: 3, wander: 300, told: 4.6...4.6, speed: 0.1)
        case .town: .init(sigma: 10, wander: 300, told: 12...12, speed: 0.4)
        case .lies: .init(sigma: 10, wander: 300, told: 12...12, speed: 0.4, lies: true)
        case .network: .init(sigma: 50, wander: 0, told: 40...150, speed: nil)
        }
    }
}

extension ModelReceiver.Noise {
    /// A receiver whose reported accuracy is right, and whose errors are independent.
    static func independent(_ accuracy: Double) -> Self {
        Self(sigma: accuracy / 2.0.squareRoot(), wander: 0, told: accuracy...accuracy, speed: nil)
    }

    /// A receiver whose reported accuracy is right, and whose errors wander over five minutes.
    static func wandering(_ accuracy: Double) -> Self {
        Self(sigma: accuracy / 2.0.squareRoot(), wander: 300, told: accuracy...accuracy, speed: 0.4)
    }
}
