/// The sentences of one epoch (one moment of measurement), taken together.
struct NMEAEpoch: Sendable {
    /// Milliseconds since midnight; nil until a sentence with a time comes.
    private(set) var timeOfDay: Int?
    /// Days since 1970-01-01; nil until a sentence with a date comes.
    private(set) var date: Int?
    private var seen: Set<NMEASentence.Kind> = []
    /// A sentence said that there is no fix.
    private var isVoid = false
    private var position: (latitude: Double, longitude: Double)?
    private var isDifferential = false
    private var isTwoDimensional = false
    private var altitude, geoidSeparation, hdop, vdop, course, speed: Double?
    private var deviations: (horizontal: Double, vertical: Double?)?

    /// Whether `sentence` belongs to a later epoch: it has another time of day, or, when either has no time, its type
    /// was already here.
    ///
    /// Receivers send GSA once per constellation, so a second one tells nothing.
    func isEnded(by sentence: NMEASentence) throws(NMEAError.Rule) -> Bool {
        if let ours = self.timeOfDay, let other = try self.timeOfDay(of: sentence) { return ours != other }
        return sentence.kind != .gsa && self.seen.contains(sentence.kind)
    }

    private func timeOfDay(of sentence: NMEASentence) throws(NMEAError.Rule) -> Int? {
        switch sentence.kind {
        case .rmc, .gga, .gns, .gst, .zda: try sentence.timeOfDay(1)
        case .gll: try sentence.timeOfDay(5)
        case .gsa, .vtg, .hdt, .hdm, .hdg: nil
        }
    }

    /// Adds what `sentence` says; throws before anything is changed when a field is wrong.
    mutating func add(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        var next = self
        try next.read(sentence)
        if let timeOfDay = try self.timeOfDay(of: sentence) { next.timeOfDay = timeOfDay }
        next.seen.insert(sentence.kind)
        self = next
    }

    private mutating func read(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        switch sentence.kind {
        case .rmc: try self.readRMC(sentence)
        case .gga: try self.readGGA(sentence)
        case .gns: try self.readGNS(sentence)
        case .gll:
            guard sentence.flag(6) == "A", !Self.isSynthetic(mode: sentence.flag(7)) else { return self.isVoid = true }
            try self.take(position: sentence.position(1), isPrecise: false)
        case .gsa:
            // Mode 1 (no fix) is not believed: with several constellations it may mean this one alone.
            self.isTwoDimensional = sentence.flag(2) == "2"
            self.hdop = try sentence.number(16, in: 0...1000) ?? self.hdop
            self.vdop = try sentence.number(17, in: 0...1000) ?? self.vdop
        case .gst:
            if let north = try sentence.number(6, in: 0...1e6), let east = try sentence.number(7, in: 0...1e6) {
                let vertical = try sentence.number(8, in: 0...1e6)
                self.deviations = (AccuracyModel.standardError(east: east, north: north), vertical)
            }
        case .vtg:
            self.course = try sentence.number(1, in: 0...360) ?? self.course
            self.speed = try sentence.number(5, in: 0...1e5).map(Self.metersPerSecond) ?? self.speed
        case .zda:
            self.date = try sentence.date(dayAt: 2)
        // Told at once, not by the epoch.
        case .hdt, .hdm, .hdg: break
        }
    }

    private mutating func readRMC(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        self.date = try sentence.date(9) ?? self.date
        guard sentence.flag(2) == "A", !Self.isSynthetic(mode: sentence.flag(12)) else { return self.isVoid = true }
        try self.take(position: sentence.position(3), isPrecise: false)
        self.speed = try sentence.number(7, in: 0...1e5).map(Self.metersPerSecond) ?? self.speed
        self.course = try sentence.number(8, in: 0...360) ?? self.course
    }

    private mutating func readGGA(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        switch sentence.flag(6) {
        case "1", "3", "6": break
        case "2", "4", "5": self.isDifferential = true
        // 0 is no fix; 7 (manual input) and 8 (simulator) are no measurements.
        default: return self.isVoid = true
        }
        try self.take(position: sentence.position(2), isPrecise: true)
        try self.readHeight(sentence, hdop: 8, altitude: 9, geoidSeparation: 11)
    }

    private mutating func readGNS(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        let modes = sentence.text(6)
        guard modes.contains(where: { !Self.isSynthetic(mode: Character(Unicode.Scalar($0))) }) else {
            return self.isVoid = true
        }
        // D differential, R and F real-time kinematic, P precise.
        self.isDifferential = self.isDifferential || modes.contains { "DRFP".utf8.contains($0) }
        try self.take(position: sentence.position(2), isPrecise: true)
        try self.readHeight(sentence, hdop: 8, altitude: 9, geoidSeparation: 10)
    }

    private mutating func readHeight(
        _ sentence: NMEASentence,
        hdop: Int,
        altitude: Int,
        geoidSeparation: Int
    ) throws(NMEAError.Rule) {
        self.hdop = try sentence.number(hdop, in: 0...1000) ?? self.hdop
        self.altitude = try sentence.number(altitude, in: -1e6...1e8) ?? self.altitude
        self.geoidSeparation = try sentence.number(geoidSeparation, in: -1e3...1e3) ?? self.geoidSeparation
    }

    /// The position of GGA and GNS goes before that of RMC and GLL, which often has fewer digits.
    private mutating func take(position: (latitude: Double, longitude: Double)?, isPrecise: Bool) {
        guard let position, self.position == nil || isPrecise else { return }
        self.position = position
    }

    /// Mode indicator N is no fix, M manual input, S simulator; standards before 2.3 have none.
    private static func isSynthetic(mode: Character?) -> Bool {
        switch mode {
        case "N", "M", "S": true
        default: false
        }
    }

    private static func metersPerSecond(knots: Double) -> Double { knots * 1852 / 3600 }

    /// Whether a sentence said that there is a position, or that there is none.
    var isDecided: Bool { self.isVoid || self.position != nil }

    /// The fix of the epoch, or nil when a sentence said that there is none or no sentence had a position.
    ///
    /// - Parameter time: UNIX seconds; nil when the date is unknown.
    /// - Returns: the fix, or nil.
    func fix(time: Double?) -> SourceFix? {
        guard !self.isVoid, let position = self.position else { return nil }
        let modelled = self.hdop.flatMap {
            AccuracyModel.horizontalAccuracy(hdop: $0, isDifferential: self.isDifferential)
        }
        var fix = SourceFix(
            latitude: position.latitude,
            longitude: position.longitude,
            horizontalAccuracy: self.deviations?.horizontal ?? modelled ?? -1,
            time: time
        )
        if let altitude = self.altitude, !self.isTwoDimensional {
            fix.altitude = altitude
            fix.ellipsoidalAltitude = self.geoidSeparation.map { altitude + $0 }
            fix.verticalAccuracy =
                self.deviations?.vertical
                ?? self.vdop.flatMap { AccuracyModel.verticalAccuracy(vdop: $0, isDifferential: self.isDifferential) }
        }
        fix.course = self.course
        fix.speed = self.speed
        return fix
    }
}
