internal import Foundation
internal import WhereaboutsVocabulary

/// Makes the NMEA 0183 log of a receiver that moves along a route: GGA, GSA and RMC per epoch, with checksums.
///
/// The same settings always give the same log. Positions are given to 1e-5 minutes (2 cm).
public struct NMEATrack: Sendable, Hashable {
    /// A corner of the route.
    public struct Waypoint: Sendable, Hashable {
        /// Degrees, north positive.
        public let latitude: Double
        /// Degrees, east positive.
        public let longitude: Double

        /// Creates a corner of a route.
        ///
        /// - Parameters:
        ///   - latitude: degrees, −85…85: near a pole the log's plane geometry fails.
        ///   - longitude: degrees, −180…180.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// Why the track cannot be made.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// A setting is out of range; the texts name it and the allowed range.
        case outOfRange(setting: String, allowed: String)

        /// The rule and the remedy.
        public var description: String {
            switch self {
            case .outOfRange(let setting, let allowed): "the track's \(setting) must be \(allowed)"
            }
        }
    }

    /// A walk of 1.1 km along Hamburg's harbour, from the piers past Baumwall to the Speicherstadt.
    public static let harbourWalk = [
        Waypoint(latitude: 53.54585, longitude: 9.96640), Waypoint(latitude: 53.54562, longitude: 9.97010),
        Waypoint(latitude: 53.54506, longitude: 9.97420), Waypoint(latitude: 53.54441, longitude: 9.97790),
        Waypoint(latitude: 53.54408, longitude: 9.98150), Waypoint(latitude: 53.54431, longitude: 9.98270),
    ]

    /// The maximum number of epochs of a log; a day at 1 Hz.
    public static let epochsMax = 86_400

    /// The corners, at least two different ones in a row.
    public var waypoints: [Waypoint]
    /// The speed in metres per second, 0.1…1000.
    public var speed = 1.4
    /// The epochs per second, 0.1…20.
    public var rate = 1.0
    /// The UNIX time of the first epoch in whole milliseconds, 1980…2079.
    public var start: Double
    /// The length of the log in seconds; nil: once along the route.
    ///
    /// A longer log goes back and forth along the route.
    public var duration: Double?
    /// The standard deviation of the position error per axis in metres, 0…100.
    public var noise = 1.5
    /// The seed of the position errors: one seed, one track.
    public var seed: UInt64 = 1
    /// When the receiver has no fix, in seconds since the start; nil: never.
    public var tunnel: Range<Double>?

    /// Creates a track with the defaults of the other settings.
    ///
    /// - Parameters:
    ///   - waypoints: the corners of the route.
    ///   - start: the UNIX time of the first epoch.
    public init(waypoints: [Waypoint], start: Double) {
        self.waypoints = waypoints
        self.start = start
    }

    /// Writes the log.
    ///
    /// - Returns: the sentences, each with CR and LF.
    public func log() throws(Failure) -> String {
        try self.check()
        let route = Route(self.waypoints)
        guard route.length > 0 else {
            throw .outOfRange(setting: "route", allowed: "longer than 0 m: give two different waypoints")
        }
        let duration = self.duration ?? route.length / self.speed
        let count = Int((duration * self.rate).rounded(.down)) + 1
        guard count <= Self.epochsMax else {
            throw .outOfRange(setting: "duration", allowed: "at most \(Self.epochsMax) epochs, got \(count)")
        }
        var error = PositionError(deviation: self.noise, interval: 1 / self.rate, seed: self.seed)
        var log = ""
        for index in 0..<count {
            let elapsed = Double(index) / self.rate
            let writer = NMEAWriter(milliseconds: Int(((self.start + elapsed) * 1000).rounded()))
            let (east, north) = error.next()
            if let tunnel = self.tunnel, tunnel.contains(elapsed) {
                log += writer.void()
            } else {
                let point = route.point(at: elapsed * self.speed)
                log += writer.fix(
                    latitude: point.latitude + north / Route.metersPerDegree,
                    longitude: point.longitude + east / (Route.metersPerDegree * cos(point.latitude * .pi / 180)),
                    altitude: 6,
                    speed: self.speed,
                    course: point.course
                )
            }
        }
        return log
    }

    private func check() throws(Failure) {
        guard self.waypoints.count >= 2 else {
            throw .outOfRange(setting: "route", allowed: "two or more waypoints, got \(self.waypoints.count)")
        }
        for waypoint in self.waypoints
        where !(abs(waypoint.latitude) <= 85 && abs(waypoint.longitude) <= 180) {
            throw .outOfRange(setting: "waypoints", allowed: "latitudes −85…85 and longitudes −180…180, in degrees")
        }
        let (first, last) = (315_532_800.0, 3_471_292_800.0 - 86_400 * 1000)
        let ranges: [(String, Double, ClosedRange<Double>)] = [
            ("speed", self.speed, 0.1...1000), ("rate", self.rate, 0.1...20), ("noise", self.noise, 0...100),
            ("start", self.start, first...last), ("duration", self.duration ?? 0, 0...1e6),
        ]
        for (setting, value, range) in ranges where !range.contains(value) {
            throw .outOfRange(setting: setting, allowed: "\(range.lowerBound)…\(range.upperBound), got \(value)")
        }
    }
}

/// The legs of a route on a locally flat Earth; accurate to a metre in a kilometre, which suffices for an invented walk.
private struct Route {
    /// The length of a degree of a great circle on the mean sphere (6,371,008.8 m).
    static let metersPerDegree = 6_371_008.8 * .pi / 180

    private let waypoints: [NMEATrack.Waypoint]
    /// East and north components of each leg in metres.
    private let legs: [(east: Double, north: Double)]
    let length: Double

    init(_ waypoints: [NMEATrack.Waypoint]) {
        self.waypoints = waypoints
        self.legs = zip(waypoints, waypoints.dropFirst()).map { from, to in
            let middle = (from.latitude + to.latitude) / 2
            let east = (to.longitude - from.longitude).remainder(dividingBy: 360)
            return (
                east * Self.metersPerDegree * cos(middle * .pi / 180),
                (to.latitude - from.latitude) * Self.metersPerDegree
            )
        }
        self.length = self.legs.reduce(0) { $0 + ($1.east * $1.east + $1.north * $1.north).squareRoot() }
    }

    /// The point after `distance` metres of walking back and forth, and the course there.
    func point(at distance: Double) -> (latitude: Double, longitude: Double, course: Double) {
        let lap = distance.truncatingRemainder(dividingBy: 2 * self.length)
        let isReturning = lap > self.length
        var rest = isReturning ? 2 * self.length - lap : lap
        var index = 0
        var legLength = self.legLength(0)
        while rest > legLength, index + 1 < self.legs.count {
            rest -= legLength
            index += 1
            legLength = self.legLength(index)
        }
        let share = legLength > 0 ? min(rest / legLength, 1) : 0
        let (from, to) = (self.waypoints[index], self.waypoints[index + 1])
        let course = atan2(self.legs[index].east, self.legs[index].north) * 180 / .pi + (isReturning ? 180 : 0)
        let longitude = from.longitude + share * (to.longitude - from.longitude).remainder(dividingBy: 360)
        return (
            from.latitude + share * (to.latitude - from.latitude), longitude.remainder(dividingBy: 360),
            (course + 360).truncatingRemainder(dividingBy: 360)
        )
    }

    private func legLength(_ index: Int) -> Double {
        let leg = self.legs[index]
        return (leg.east * leg.east + leg.north * leg.north).squareRoot()
    }
}

/// The error of a receiver: it changes slowly, as in a real receiver (first-order Gauss–Markov, correlation time 30 s).
private struct PositionError {
    private let deviation: Double
    private let memory: Double
    private var generator: SeededGenerator
    private var current: (east: Double, north: Double)

    init(deviation: Double, interval: Double, seed: UInt64) {
        self.deviation = deviation
        self.memory = exp(-interval / 30)
        self.generator = SeededGenerator(seed: seed)
        self.current = (0, 0)
        self.current = self.draw()
    }

    mutating func next() -> (east: Double, north: Double) {
        defer {
            let fresh = self.draw()
            let weight = (1 - self.memory * self.memory).squareRoot()
            self.current.east = self.memory * self.current.east + weight * fresh.east
            self.current.north = self.memory * self.current.north + weight * fresh.north
        }
        return self.current
    }

    /// Two independent normal draws (Box–Muller).
    private mutating func draw() -> (east: Double, north: Double) {
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &self.generator))).squareRoot()
        let angle = Double.random(in: 0..<(2 * .pi), using: &self.generator)
        return (self.deviation * radius * cos(angle), self.deviation * radius * sin(angle))
    }
}
