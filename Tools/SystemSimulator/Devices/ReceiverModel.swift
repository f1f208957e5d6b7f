internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A device's true position, and its receiver's fixes.
struct ReceiverModel {
    /// 1e-7 degrees.
    private let home: (latitude: Int64, longitude: Int64)
    /// Metres per second to the north-east.
    private let speed: Int64
    /// Whether the device moves and rests alternately, for the same time.
    private let rests: Bool
    /// How long a turn is, in microseconds.
    private static let turn: Int64 = 150_000_000
    /// Whether a fix is wrong now and then, as by a reflection.
    private let strays: Bool
    /// One fix of that many strays; a device counts as still after fewer.
    private static let strayPeriod = 70
    /// How far a fix strays to the north, about 45 m: beyond the circle of a stay.
    private static let stray: Int32 = 4000
    private var fixes = 0
    /// Whether there is a signal.
    var hasSignal = true

    init(device: Int, speed: Int, rests: Bool = false, strays: Bool = false) {
        // Some kilometres apart, and away from the edges of reduced cells only by chance.
        self.home = (520_000_000 + Int64(device % 100) * 631_000, 130_000_000 + Int64(device / 100) * 931_000)
        self.speed = Int64(speed)
        self.rests = rests
        self.strays = strays
    }

    /// The device's true position, in 1e-7 degrees.
    func truth(at instant: Instant) -> (latitude: Int32, longitude: Int32) {
        // A metre is about 90 units; to and fro within half a degree.
        let way = self.speed * 90 * (self.travelled(until: instant) / 1000) / 1000
        let period: Int64 = 10_000_000
        let phase = way % period
        let offset = phase < period / 2 ? phase : period - phase
        return (Int32(self.home.latitude + offset), Int32(self.home.longitude + offset))
    }

    /// How many microseconds the device has moved until now.
    private func travelled(until instant: Instant) -> Int64 {
        guard self.rests else { return instant.microseconds }
        let (turns, rest) = instant.microseconds.quotientAndRemainder(dividingBy: 2 * Self.turn)
        return turns * Self.turn + min(rest, Self.turn)
    }

    /// Whether the device moves at this instant.
    private func isMoving(at instant: Instant) -> Bool {
        !self.rests || instant.microseconds % (2 * Self.turn) < Self.turn
    }

    /// The receiver's fix; nil without a signal.
    mutating func fix(at instant: Instant, wall: WallTime) -> Fix? {
        guard self.hasSignal else { return nil }
        let (latitude, longitude) = self.truth(at: instant)
        self.fixes += 1
        let isStray = self.strays && self.fixes.isMultiple(of: Self.strayPeriod)
        return Fix(
            latitude: isStray ? latitude + Self.stray : latitude,
            longitude: longitude,
            horizontalAccuracy: 5000,
            speed: self.isMoving(at: instant) ? Int32(self.speed * 1000) : 0,
            // Fixes of devices that stand still pass the estimator, which must not change exact fixes: the auditors compare
            // positions with the truth.
            receiver: self.speed == 0 && !self.strays ? 0 : nil,
            time: wall,
            arrival: EngineInstant(sinceStart: .microseconds(instant.microseconds))
        )
    }
}
