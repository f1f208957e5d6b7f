public import CoreLocation
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The surroundings of a virtual device: its true position over time, and the satellite signal and errors of its receiver.
///
/// A world is a script on the device's time: every call adds to the end of the script (or begins now, if the script has ended).
/// Between and after its moves the device stays.
///
/// ```swift
/// device.world.go(to: station, at: 1.4)         // metres a second
/// device.world.stay(for: .seconds(600))
/// device.world.drive(for: .seconds(7200))            // on the device's seed
/// device.world.tunnel(to: harbour, at: 20)
/// device.world.loseSignal(after: .seconds(300), for: .seconds(120))
/// ```
public final class World {
    /// The sky over a receiver at one moment.
    struct Sky {
        var hasSignal = true
        /// The standard error of its positions, in metres.
        var accuracy: CLLocationAccuracy
        /// The wrong position that the receiver reports; nil: the true one.
        var mistake: GeodeticCoordinate?
    }

    /// A disturbance of the sky for some time.
    private struct Disturbance {
        enum Kind {
            case noSignal
            case accuracy(CLLocationAccuracy)
            case elsewhere(GeodeticCoordinate)
        }

        let time: ClosedRange<Int64>
        let kind: Kind
    }

    /// One move at constant speed along a geodesic.
    private struct Leg {
        let begin: Int64
        let end: Int64
        let from: GeodeticCoordinate
        /// Metres a second; 0 while the device stays.
        var speed = 0.0
        /// The geodesic that the device follows; nil while it stays.
        var line: GeodesicLine?
        /// The recorded measurements at the leg's beginning and end; nil: the leg is not part of a recording.
        var recorded: (begin: Recorded, end: Recorded)?

        /// The position some time after the start of the leg, and the direction there.
        func arrival(after nanoseconds: Int64) -> Geodesic.Arrival? {
            self.line?.arrival(after: Meters(Double(nanoseconds) / 1e9 * self.speed))
        }

        /// The recorded measurements at a time; after the end, the last ones.
        func recorded(at instant: Int64) -> Recorded? {
            self.recorded.map { recorded in
                let part = instant < self.end ? Double(instant - self.begin) / Double(self.end - self.begin) : 1
                return Recorded(from: recorded.begin, to: recorded.end, after: part)
            }
        }
    }

    /// The device's true position and motion at some time.
    struct Truth {
        var position: GeodeticCoordinate
        /// Degrees from true north; nil while the device stays.
        var course: Double?
        /// Metres a second.
        var speed: Double
        /// Metres above mean sea level; nil: the receiver does not report it.
        var altitude: CLLocationDistance?
    }

    /// The standard error of the receiver's positions, in metres, which it also reports.
    public var accuracy: CLLocationAccuracy {
        didSet { precondition(self.accuracy > 0, "an accuracy is a length in metres, greater than zero") }
    }
    /// The height above mean sea level, in metres, unless a recording contains it; nil: the receiver does not report it.
    public var altitude: CLLocationDistance?

    /// The direction of the device's top, in degrees from north; nil: the direction of travel, and north before the first move.
    ///
    /// From true north where ``magneticVariation`` is known, otherwise from magnetic north.
    public var heading: CLLocationDirection? {
        didSet {
            precondition(self.heading.map { (0..<360).contains($0) } ?? true, "a heading is 0..<360 degrees, or nil")
        }
    }
    /// The degrees from true to magnetic north, east positive; nil: the receiver reports none, so that no true heading
    /// is known.
    public var magneticVariation: CLLocationDirection? {
        didSet {
            let isRight = self.magneticVariation.map { (-180...180).contains($0) } ?? true
            precondition(isRight, "a variation is -180...180 degrees, or nil")
        }
    }
    /// The accuracy that the compass reports, in degrees.
    public var headingAccuracy: CLLocationDirection = 10 {
        didSet { precondition((0...180).contains(self.headingAccuracy), "an accuracy of headings is 0...180 degrees") }
    }
    /// Whether a magnet is too near: headings are invalid, and apps are asked whether to calibrate.
    public var isCompassDisturbed = false

    /// The beacons of the world, all switched on; they do not move.
    public var beacons: [PlacedBeacon] = []

    private var legs: [Leg] = []
    private var lastCourse: Double = 0
    private var disturbances: [Disturbance] = []
    private var flickerPeriod: Int64?
    private var cursor = 0
    private var random: SeededGenerator
    private let home: GeodeticCoordinate
    private let clock: VirtualClock

    init(home: CLLocationCoordinate2D, accuracy: CLLocationAccuracy, seed: UInt64, clock: VirtualClock) {
        self.home = GeodeticCoordinate(home)
        self.accuracy = accuracy
        self.random = SeededGenerator(seed: seed)
        self.clock = clock
    }

    /// The device's position now.
    public var place: CLLocationCoordinate2D { self.truth(at: self.clock.now).position.place }

    /// The end of the script, since the device's start.
    public var end: Duration { .nanoseconds(self.legs.last?.end ?? 0) }

    /// Measures the distance that the device moved, without jumps.
    ///
    /// - Parameter start: the beginning of the measured time, from the device's start.
    /// - Returns: the length in metres.
    public func distance(since start: Duration = .zero) -> CLLocationDistance {
        self.legs.reduce(0) { sum, leg in
            let time = min(leg.end, self.clock.now) - max(leg.begin, start.nanoseconds)
            return time > 0 ? sum + leg.speed * Double(time) / 1e9 : sum
        }
    }

    // MARK: Moving

    /// Stays at the end of the script so far.
    public func stay(for duration: Duration) {
        self.append(for: duration, azimuth: 0, speed: 0)
    }

    /// Moves straight to a place.
    ///
    /// - Parameters:
    ///   - place: where to.
    ///   - speed: metres a second; 1.4 is a walk.
    public func go(to place: CLLocationCoordinate2D, at speed: CLLocationSpeed) {
        precondition(speed > 0 && speed.isFinite, "a speed is metres a second, greater than zero; to wait, call stay")
        let path = Geodesic.inverse(from: self.lastPosition, to: GeodeticCoordinate(place))
        let nanoseconds = path.distance.value / speed * 1e9
        precondition(nanoseconds < 9e18, "at \(speed) m/s that takes longer than 290 years")
        self.append(for: .nanoseconds(Int64(nanoseconds)), azimuth: path.azimuth1, speed: speed)
    }

    /// Moves straight to a place without a signal during the move, as underground.
    ///
    /// - Parameters:
    ///   - place: the destination, where the signal returns.
    ///   - speed: metres a second.
    public func tunnel(to place: CLLocationCoordinate2D, at speed: CLLocationSpeed) {
        self.go(to: place, at: speed, .noSignal)
    }

    /// Moves straight to a place with larger errors, as between high walls; the receiver reports the larger error.
    ///
    /// - Parameters:
    ///   - place: the destination, where the usual accuracy returns.
    ///   - speed: metres a second.
    ///   - accuracy: the standard error during the move, in metres; GPS.gov: tens of metres near tall buildings.
    public func canyon(to place: CLLocationCoordinate2D, at speed: CLLocationSpeed, accuracy: CLLocationAccuracy = 40) {
        precondition(accuracy > 0, "an accuracy is a length in metres, greater than zero")
        self.go(to: place, at: speed, .accuracy(accuracy))
    }

    private func go(to place: CLLocationCoordinate2D, at speed: CLLocationSpeed, _ kind: Disturbance.Kind) {
        let begin = self.scriptEnd
        self.go(to: place, at: speed)
        self.disturbances.append(Disturbance(time: begin...self.scriptEnd, kind: kind))
    }

    /// Jumps to another place, like a device that was carried while it was off.
    ///
    /// For an error of the receiver, use `stray`.
    public func jump(to place: CLLocationCoordinate2D) {
        let begin = self.scriptEnd
        self.legs.append(Leg(begin: begin, end: begin, from: GeodeticCoordinate(place)))
    }

    /// Walks on a random path as people do: about 1.4 m/s, with turns and pauses; drawn from the device's seed.
    public func walk(for duration: Duration) {
        self.wander(for: duration, speeds: 1.0...1.8, leg: 20...120, turn: 60, pause: 0.1, pauses: 5...40)
    }

    /// Drives on a random path as cars do: 8…33 m/s, with bends and red lights; drawn from the device's seed.
    public func drive(for duration: Duration) {
        self.wander(for: duration, speeds: 8...33, leg: 15...90, turn: 35, pause: 0.15, pauses: 10...60)
    }

    /// Follows a recorded track: points with times at the pace of the recording, others at `speed`.
    ///
    /// The receiver reports the recorded altitudes, speeds and accuracies. It has no signal in a gap of the recording.
    ///
    /// - Parameters:
    ///   - track: the track.
    ///   - speed: metres a second, for tracks without times.
    public func follow(_ track: RecordedTrack, at speed: CLLocationSpeed = 1.4) {
        guard let first = track.points.first else { return }
        self.jump(to: first.place)
        self.record(from: first, to: first)
        for (point, next) in zip(track.points, track.points.dropFirst()) {
            defer { self.record(from: point, to: next) }
            guard let time = point.time, let nextTime = next.time, nextTime > time else {
                self.go(to: next.place, at: speed)
                continue
            }
            let path = Geodesic.inverse(from: self.lastPosition, to: GeodeticCoordinate(next.place))
            let seconds = nextTime.timeIntervalSince(time)
            let duration = Duration.nanoseconds(Int64(min(seconds, 9e9) * 1e9))
            let begin = self.scriptEnd
            self.append(for: duration, azimuth: path.azimuth1, speed: path.distance.value / seconds)
            if next.followsGap {
                self.disturbances.append(Disturbance(time: begin...self.scriptEnd, kind: .noSignal))
            }
        }
    }

    /// Adds the recorded measurements to the newest part of the script.
    private func record(from point: RecordedTrack.Point, to next: RecordedTrack.Point) {
        self.legs[self.legs.count - 1].recorded = (Recorded(point), Recorded(next))
    }

    // MARK: Seeing the sky

    /// Loses the satellites for a while, as in a tunnel or a garage; the device continues to move.
    ///
    /// - Parameters:
    ///   - delay: from now.
    ///   - duration: how long.
    public func loseSignal(after delay: Duration = .zero, for duration: Duration) {
        self.disturb(.noSignal, after: delay, for: duration)
    }

    /// Makes positions less accurate for a while, as under trees or among houses; the receiver reports the larger error.
    ///
    /// - Parameters:
    ///   - accuracy: the standard error in metres, greater than zero.
    ///   - delay: from now.
    ///   - duration: how long.
    public func loseAccuracy(to accuracy: CLLocationAccuracy, after delay: Duration = .zero, for duration: Duration) {
        precondition(accuracy > 0, "an accuracy is a length in metres, greater than zero")
        self.disturb(.accuracy(accuracy), after: delay, for: duration)
    }

    /// Makes the receiver report a wrong place with its usual accuracy, as after reflections; the device continues to
    /// move.
    ///
    /// - Parameters:
    ///   - place: the place that the receiver reports.
    ///   - delay: from now.
    ///   - duration: how long; one position comes a second.
    public func stray(to place: CLLocationCoordinate2D, after delay: Duration = .zero, for duration: Duration) {
        self.disturb(.elsewhere(GeodeticCoordinate(place)), after: delay, for: duration)
    }

    private func disturb(_ kind: Disturbance.Kind, after delay: Duration, for duration: Duration) {
        precondition(delay >= .zero && duration > .zero, "a disturbance begins now or later, and lasts some time")
        let begin = self.clock.now + delay.nanoseconds
        self.disturbances.append(Disturbance(time: begin...(begin + duration.nanoseconds), kind: kind))
    }

    /// Ends all disturbances of the receiver at this time.
    func endDisturbances() {
        let now = self.clock.now
        self.disturbances.removeAll { $0.time.contains(now) }
    }

    /// Loses and finds the satellites in turn, as devices do on iOS 18.1: `locationUnavailable` between good updates.
    ///
    /// - Parameter period: how long each state lasts; nil: the flicker ends.
    public func flicker(every period: Duration?) {
        precondition(period.map { $0 > .zero } ?? true, "the period of a flicker is greater than zero")
        self.flickerPeriod = period?.nanoseconds
    }

    // MARK: The receiver's questions

    func sky(at instant: Int64) -> Sky {
        var sky = Sky(accuracy: self.leg(at: instant)?.recorded(at: instant)?.accuracy ?? self.accuracy)
        if let flickerPeriod { sky.hasSignal = instant / flickerPeriod % 2 == 0 }
        for disturbance in self.disturbances where disturbance.time.contains(instant) {
            switch disturbance.kind {
            case .noSignal: sky.hasSignal = false
            case .accuracy(let accuracy): sky.accuracy = max(sky.accuracy, accuracy)
            case .elsewhere(let place): sky.mistake = place
            }
        }
        return sky
    }

    /// The direction of the device's top, in degrees.
    func pointing(at instant: Int64) -> Double {
        if let course = self.truth(at: instant).course { self.lastCourse = course }
        return self.heading ?? self.lastCourse
    }

    /// The part of the script at a time; nil before its start.
    private func leg(at instant: Int64) -> Leg? {
        // Nearly all calls come in the order of time.
        if self.cursor > 0, self.cursor >= self.legs.count || self.legs[self.cursor].begin > instant { self.cursor = 0 }
        while self.cursor + 1 < self.legs.count, self.legs[self.cursor + 1].begin <= instant { self.cursor += 1 }
        guard self.cursor < self.legs.count, self.legs[self.cursor].begin <= instant else { return nil }
        return self.legs[self.cursor]
    }

    func truth(at instant: Int64) -> Truth {
        guard let leg = self.leg(at: instant) else {
            return Truth(position: self.home, course: nil, speed: 0, altitude: self.altitude)
        }
        let recorded = leg.recorded(at: instant)
        let isOver = instant >= leg.end
        let arrival = leg.arrival(after: min(instant, leg.end) - leg.begin)
        return Truth(
            position: arrival?.point ?? leg.from,
            course: isOver ? nil : arrival?.azimuth,
            speed: isOver ? 0 : recorded?.speed ?? leg.speed,
            altitude: recorded?.altitude ?? self.altitude
        )
    }

    /// Returns an error of a receiver in one direction, in metres.
    func error(of accuracy: CLLocationAccuracy) -> Double {
        // Irwin–Hall: the sum of twelve uniform draws is nearly normal, and needs no transcendental functions.
        let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self.random) } - 6
        // The accuracy covers both directions together.
        return sum * accuracy * 0.5.squareRoot()
    }

    // MARK: The script

    private var scriptEnd: Int64 { max(self.legs.last?.end ?? 0, self.clock.now) }

    private var lastPosition: GeodeticCoordinate {
        guard let leg = self.legs.last else { return self.home }
        return leg.arrival(after: leg.end - leg.begin)?.point ?? leg.from
    }

    private func append(for duration: Duration, azimuth: Double, speed: Double) {
        precondition(duration >= .zero, "time does not go backwards")
        let begin = self.scriptEnd
        let from = self.lastPosition
        self.legs.append(
            Leg(
                begin: begin,
                end: begin + duration.nanoseconds,
                from: from,
                speed: speed,
                line: speed > 0 ? GeodesicLine(from: from, azimuth: azimuth) : nil
            )
        )
    }

    private func wander(
        for duration: Duration,
        speeds: ClosedRange<Double>,
        leg: ClosedRange<Double>,
        turn: Double,
        pause: Double,
        pauses: ClosedRange<Double>
    ) {
        var left = Double(duration.nanoseconds) / 1e9
        var azimuth = Double.random(in: 0..<360, using: &self.random)
        while left > 0 {
            let rests = Double.random(in: 0..<1, using: &self.random) < pause
            let seconds = min(left, Double.random(in: rests ? pauses : leg, using: &self.random))
            let speed = rests ? 0 : Double.random(in: speeds, using: &self.random)
            self.append(for: .nanoseconds(Int64(seconds * 1e9)), azimuth: azimuth, speed: speed)
            azimuth += Double.random(in: -turn...turn, using: &self.random)
            left -= seconds
        }
    }
}
