/// The sentences of one epoch (one moment of measurement), taken together.
struct NMEAEpoch: Sendable {
    /// Milliseconds since midnight; nil until a sentence with a time comes.
    private(set) var timeOfDay: Int?
    /// Days since 1970-01-01; nil until a sentence with a date comes.
    private(set) var date: Int?
    private var seen = Kinds()
    /// The talker of the last VTG; a receiver of several constellations sends a VTG for each.
    private var courseTalker: UInt16 = 0
    /// A sentence reported that there is no fix.
    private var isVoid = false
    private var position: (latitude: Double, longitude: Double)?
    private var isDifferential = false
    private var (isTwoDimensional, isThreeDimensional) = (false, false)
    private var altitude, ellipsoidalAltitude, geoidSeparation, course, speed: Double?
    /// The HDOP of the fix (GGA, GNS), the HDOP of one constellation (GSA), and the VDOP, which only GSA has.
    private var hdop, hdopOfGSA, vdop: Double?
    private var deviations, estimate: (horizontal: Double?, vertical: Double?)?

    private struct Kinds: OptionSet {
        let rawValue: UInt32
        init(rawValue: UInt32) { self.rawValue = rawValue }
        init(_ kind: NMEASentence.Kind) {
            let bit: UInt32 =
                switch kind {
                case .rmc: 0
                case .gga: 1
                case .gns: 2
                case .gll: 3
                case .gsa: 4
                case .gst: 5
                case .vtg: 6
                case .zda: 7
                case .pubx00: 8
                case .pgrme: 9
                case .gsv, .hdt, .hdm, .hdg: 10
                }
            self.init(rawValue: 1 << bit)
        }
    }

    /// Whether `sentence` belongs to a later epoch: it has another time of day, or, when either has no time, a type
    /// that the epoch already has.
    ///
    /// Receivers send GSA and VTG once per constellation, so a second one does not end the epoch.
    func isEnded(by sentence: NMEASentence) throws(NMEAError.Rule) -> Bool {
        let other = try self.timeOfDay(of: sentence)
        if let ours = self.timeOfDay, let other { return ours != other }
        // An epoch without a position and a time would take the time of the next epoch, and make that one void.
        if self.timeOfDay == nil, other != nil, self.isVoid { return true }
        switch sentence.kind {
        case .gsa: return false
        case .vtg: return self.seen.contains(Kinds(.vtg)) && self.courseTalker == sentence.letters
        case .rmc, .gga, .gns, .gll, .gst, .zda, .gsv, .hdt, .hdm, .hdg, .pubx00, .pgrme:
            return self.seen.contains(Kinds(sentence.kind))
        }
    }

    private func timeOfDay(of sentence: NMEASentence) throws(NMEAError.Rule) -> Int? {
        switch sentence.kind {
        case .rmc, .gga, .gns, .gst, .zda: try sentence.timeOfDay(1)
        case .pubx00: try sentence.timeOfDay(2)
        case .gll: try sentence.timeOfDay(5)
        case .gsa, .vtg, .gsv, .hdt, .hdm, .hdg, .pgrme: nil
        }
    }

    /// Adds a sentence; throws without a change when a field is wrong.
    mutating func add(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        var next = self
        try next.read(sentence)
        if let timeOfDay = try self.timeOfDay(of: sentence) { next.timeOfDay = timeOfDay }
        next.seen.insert(Kinds(sentence.kind))
        self = next
    }

    private mutating func read(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        switch sentence.kind {
        case .rmc: try self.readRMC(sentence)
        case .gga: try self.readGGA(sentence)
        case .gns: try self.readGNS(sentence)
        case .gll:
            guard sentence.flag(6) == UInt8(ascii: "A"), !Self.isSynthetic(mode: sentence.flag(7)) else {
                return self.isVoid = true
            }
            try self.take(position: sentence.position(1), isPrecise: false)
        case .gsa: try self.readGSA(sentence)
        case .gst:
            if let north = try sentence.number(6, in: 0...1e6), let east = try sentence.number(7, in: 0...1e6) {
                let vertical = try sentence.number(8, in: 0...1e6)
                self.deviations = (AccuracyModel.standardError(east: east, north: north), vertical)
            }
        case .vtg:
            self.course = try sentence.number(1, in: 0...360) ?? self.course
            self.speed = try sentence.number(5, in: 0...1e5).map(Self.metersPerSecond) ?? self.speed
            self.courseTalker = sentence.letters
        case .zda:
            self.date = try sentence.date(dayAt: 2) ?? self.date
        case .pubx00: try self.readPUBX(sentence)
        case .pgrme:
            // Garmin does not document the confidence; gpsd assumes 50 %, after gpsinformation.net/main/errors.htm.
            self.estimate = (
                try sentence.number(1, in: 0...1e6).map { $0 * AccuracyModel.standardErrorPerRadius50 },
                try sentence.number(3, in: 0...1e6).map { $0 * AccuracyModel.sigmaPerBound50 }
            )
        // These sentences belong to no epoch.
        case .gsv, .hdt, .hdm, .hdg: break
        }
    }

    private mutating func readRMC(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        self.date = try sentence.date(9) ?? self.date
        guard sentence.flag(2) == UInt8(ascii: "A"), !Self.isSynthetic(mode: sentence.flag(12)) else {
            return self.isVoid = true
        }
        try self.take(position: sentence.position(3), isPrecise: false)
        self.speed = try sentence.number(7, in: 0...1e5).map(Self.metersPerSecond) ?? self.speed
        self.course = try sentence.number(8, in: 0...360) ?? self.course
    }

    private mutating func readGGA(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        switch sentence.flag(6) {
        case UInt8(ascii: "1"), UInt8(ascii: "3"), UInt8(ascii: "6"): break
        // NovAtel receivers send 9, which is not in NMEA 0183, for a fix with corrections from a satellite.
        case UInt8(ascii: "2"), UInt8(ascii: "4"), UInt8(ascii: "5"), UInt8(ascii: "9"): self.isDifferential = true
        // 0 means no fix. 7 (manual input) and 8 (simulator) are not measured.
        default: return self.isVoid = true
        }
        try self.take(position: sentence.position(2), isPrecise: true)
        try self.readHeight(sentence, hdop: 8, altitude: 9, geoidSeparation: 11)
    }

    private mutating func readGNS(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        let modes = sentence.range(6)
        // Without modes the sentence concerns one constellation only.
        guard modes.isEmpty || modes.contains(where: { !Self.isSynthetic(mode: sentence.body[$0]) }) else {
            return self.isVoid = true
        }
        // D differential, R and F real-time kinematic, P precise.
        self.isDifferential = self.isDifferential || modes.contains { "DRFP".utf8.contains(sentence.body[$0]) }
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

    private mutating func readGSA(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        // Mode 1 (no fix) is ignored: with several constellations it may concern only this one.
        switch sentence.flag(2) {
        case UInt8(ascii: "2"): self.isTwoDimensional = true
        case UInt8(ascii: "3"): self.isThreeDimensional = true
        default: break
        }
        let (hdop, vdop) = (try sentence.number(16, in: 0...1000), try sentence.number(17, in: 0...1000))
        // The dilution of one constellation is at least that of all together.
        self.hdopOfGSA = Self.lesser(hdop, self.hdopOfGSA)
        self.vdop = Self.lesser(vdop, self.vdop)
    }

    private mutating func readPUBX(_ sentence: NMEASentence) throws(NMEAError.Rule) {
        let status = sentence.range(8)
        switch (sentence.flag(8), status.count == 2 ? sentence.body[status.lowerBound + 1] : nil) {
        // G2 G3 D2 D3 (dimensions), DR (dead reckoning), RK (combined)
        case (UInt8(ascii: "G"), _), (UInt8(ascii: "D"), _), (UInt8(ascii: "R"), UInt8(ascii: "K")): break
        default: return self.isVoid = true
        }
        try self.take(position: sentence.position(3), isPrecise: false)
        self.ellipsoidalAltitude = try sentence.number(7, in: -1e6...1e8)
        self.estimate = (try sentence.number(9, in: 0...1e9), try sentence.number(10, in: 0...1e9))
        // The speed and the course of RMC and VTG take precedence.
        let (speed, course) = (try sentence.number(11, in: 0...1e5), try sentence.number(12, in: 0...360))
        self.speed = self.speed ?? speed.map { $0 / 3.6 }
        self.course = self.course ?? course
    }

    private static func lesser(_ new: Double?, _ old: Double?) -> Double? {
        guard let new, AccuracyModel.isKnown(dilution: new) else { return old }
        return min(new, old ?? new)
    }

    /// The position of GGA and GNS has priority over that of RMC and GLL, which often has fewer digits.
    private mutating func take(position: (latitude: Double, longitude: Double)?, isPrecise: Bool) {
        guard let position, self.position == nil || isPrecise else { return }
        self.position = position
    }

    /// Mode indicator N means no fix, M manual input, and S simulator; standards before 2.3 have no mode indicator.
    private static func isSynthetic(mode: UInt8?) -> Bool {
        switch mode {
        case UInt8(ascii: "N"), UInt8(ascii: "M"), UInt8(ascii: "S"): true
        default: false
        }
    }

    private static func metersPerSecond(knots: Double) -> Double { knots * 1852 / 3600 }

    /// Whether a sentence reported a position, or that there is none.
    var isDecided: Bool { self.isVoid || self.position != nil }

    /// The fix of the epoch; nil when a sentence reported none, or no sentence had a position.
    ///
    /// - Parameter time: UNIX seconds; nil when the date is unknown.
    /// - Returns: the fix, or nil.
    func fix(time: Double?) -> SourceFix? {
        guard !self.isVoid, let position = self.position else { return nil }
        let hdop = self.hdop.flatMap { AccuracyModel.isKnown(dilution: $0) ? $0 : nil } ?? self.hdopOfGSA
        let modelled = hdop.flatMap {
            AccuracyModel.horizontalAccuracy(hdop: $0, isDifferential: self.isDifferential)
        }
        let horizontal = Self.known(self.deviations?.horizontal) ?? Self.known(self.estimate?.horizontal) ?? modelled
        var fix = SourceFix(
            latitude: position.latitude,
            longitude: position.longitude,
            horizontalAccuracy: horizontal.map { max($0, AccuracyModel.least) } ?? -1,
            time: time
        )
        if time == nil { fix.timeOfDay = self.timeOfDay.map { Double($0) / 1000 } }
        if !self.isTwoDimensional || self.isThreeDimensional {
            let ellipsoidal = self.ellipsoidalAltitude
            fix.altitude =
                self.altitude ?? self.geoidSeparation.flatMap { separation in ellipsoidal.map { $0 - separation } }
            fix.ellipsoidalAltitude =
                self.altitude.flatMap { altitude in self.geoidSeparation.map { altitude + $0 } } ?? ellipsoidal
            if fix.altitude != nil || fix.ellipsoidalAltitude != nil {
                fix.verticalAccuracy = self.verticalAccuracy(hdop)
            }
        }
        fix.course = self.course
        fix.speed = self.speed
        return fix
    }

    private func verticalAccuracy(_ hdop: Double?) -> Double? {
        let vdop = self.vdop ?? hdop.map { $0 * AccuracyModel.verticalPerHorizontalDilution }
        let modelled = vdop.flatMap {
            AccuracyModel.verticalAccuracy(vdop: $0, isDifferential: self.isDifferential)
        }
        return (Self.known(self.deviations?.vertical) ?? Self.known(self.estimate?.vertical) ?? modelled)
            .map { max($0, AccuracyModel.least) }
    }

    /// Receivers report 0 for an unknown error.
    private static func known(_ error: Double?) -> Double? {
        error.flatMap { $0 > 0 ? $0 : nil }
    }
}
