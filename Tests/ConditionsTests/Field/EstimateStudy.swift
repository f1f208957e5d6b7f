internal import Testing
internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Compares a modelled receiver's fixes, and the engine's estimates, with the true path of a device.
struct EstimateStudy: Sendable {
    /// The noise of a receiver.
    struct Noise: Sendable, CustomTestStringConvertible {
        let name: String
        /// The error that wanders, along each axis, in metres, and for how long it stays alike, in seconds.
        let wander: (sigma: Double, seconds: Double)
        /// The error that each fix has on its own.
        let flicker: Double
        /// The accuracy that the receiver tells, in metres.
        let told: Double
        /// The error of the velocity along each axis, in metres a second; nil: the receiver tells none.
        let speed: Double?
        /// How many fixes in a thousand are 100 m off.
        let outliers: Int
        var testDescription: String { self.name }

        static let all = [
            Noise(name: "flicker", wander: (0, 1), flicker: 3, told: 4.2, speed: 0.1, outliers: 0),
            Noise(name: "flicker, no speed", wander: (0, 1), flicker: 3, told: 4.2, speed: nil, outliers: 0),
            Noise(name: "open sky", wander: (2, 300), flicker: 2, told: 4, speed: 0.1, outliers: 0),
            Noise(name: "wander alone", wander: (3, 300), flicker: 0, told: 4.2, speed: 0.1, outliers: 0),
            Noise(.town, outliers: 10),
            Noise(.town, name: "town, says 1.7 m", told: 1.7, outliers: 10),
        ]

        /// The noise of a modelled receiver, with leaps.
        init(_ kind: ModelReceiver.Kind, name: String? = nil, told: Double? = nil, outliers: Int) {
            let noise = kind.noise
            self.init(
                name: name ?? kind.rawValue,
                wander: (noise.sigma, noise.wander),
                flicker: noise.sigma / 6,
                told: told ?? noise.told.lowerBound,
                speed: noise.speed,
                outliers: outliers
            )
        }

        init(
            name: String,
            wander: (sigma: Double, seconds: Double),
            flicker: Double,
            told: Double,
            speed: Double?,
            outliers: Int
        ) {
            self.name = name
            self.wander = wander
            self.flicker = flicker
            self.told = told
            self.speed = speed
            self.outliers = outliers
        }
    }

    /// The errors of a run.
    struct Outcome: Sendable {
        fileprivate(set) var raw = Errors()
        fileprivate(set) var ours = Errors()
        fileprivate(set) var given = 0
        fileprivate(set) var refused = 0

        /// Our mean square as a ratio to that of the fixes, as its root.
        var ratio: Double { self.ours.rms / max(self.raw.rms, 1e-9) }
    }

    /// Distances from the truth, and how many were within the accuracy told.
    struct Errors: Sendable {
        private var squares = 0.0
        private var inside = 0
        private var count = 0

        var rms: Double { (self.squares / Double(max(self.count, 1))).squareRoot() }
        var share: Double { Double(self.inside) / Double(max(self.count, 1)) }

        fileprivate mutating func add(_ fix: Fix, truth: QuantizedCoordinate) {
            let point = QuantizedCoordinate(latitude: Int(fix.latitude), longitude: Int(fix.longitude))
            let miss = LocalPlane(at: truth).vector(to: point).length
            self.squares += miss * miss
            self.count += 1
            if miss * 1000 <= Double(fix.horizontalAccuracy ?? 0) { self.inside += 1 }
        }
    }

    /// Follows a device, with a fix a second; the first minute does not count, in which the errors begin anywhere.
    static func run(_ track: Track, _ noise: Noise, seed: UInt64) -> Outcome {
        var generator = SeededGenerator(seed: seed)
        var estimator = FixEstimator(policy: Policy())
        var outcome = Outcome()
        var wander = PlaneVector.zero
        var before: QuantizedCoordinate?
        let kept = max(0, 1 - 1 / noise.wander.seconds)
        for (second, place, _) in track.seconds {
            wander =
                wander * kept + generator.vector(sigma: noise.wander.sigma * (1 - kept * kept).squareRoot())
            var error = wander + generator.vector(sigma: noise.flicker)
            if Int.random(in: 0..<1000, using: &generator) < noise.outliers {
                error = PlaneVector(length: 100, direction: Double.random(in: 0..<360, using: &generator))
            }
            let plane = LocalPlane(at: place)
            // The way since the second before: a receiver's velocity is late by half of it.
            let velocity = (before.map { .zero - plane.vector(to: $0) } ?? .zero)
            before = place
            let measured = noise.speed.map { velocity + generator.vector(sigma: $0) }
            let point = plane.point(at: error)
            let now = Now(
                monotonic: EngineInstant(sinceStart: .milliseconds(Int(second * 1000) + 1_000_000)),
                wall: WallTime(seconds: 1_800_000_000).advanced(by: .milliseconds(Int(second * 1000)))
            )
            let fix = Fix(
                latitude: point.latitude,
                longitude: point.longitude,
                horizontalAccuracy: Int32(noise.told * 1000),
                course: measured?.direction.map { Int32($0 * 100) },
                speed: measured.map { Int32($0.length * 1000) },
                receiver: 0,
                time: now.wall,
                arrival: now.monotonic
            )
            let result = estimator.fixReceived(fix, now: now)
            guard second >= 60 else { continue }
            outcome.raw.add(fix, truth: place)
            switch result {
            case .use(let estimate):
                outcome.given += 1
                outcome.ours.add(estimate, truth: place)
            case .drop: outcome.refused += 1
            }
        }
        return outcome
    }

    /// A device that stays for an hour.
    static let still = Track("still", through: [(0, 0, 0), (3600, 0, 0)])
}

extension SeededGenerator {
    /// A draw for both axes.
    fileprivate mutating func vector(sigma: Double) -> PlaneVector {
        PlaneVector(east: self.normal() * sigma, north: self.normal() * sigma)
    }
}
