/// A line of a program that reports positions, in its wire format (`docs/sources.md`).
struct ProgramReport: Decodable {
    let name: String?
    let state: String?
    let fix: Position?
    let heading: Direction?

    /// A position; degrees, metres, metres a second, UNIX seconds.
    struct Position: Decodable {
        let latitude, longitude: Double
        let accuracy: Double?
        let altitude, ellipsoidalAltitude, verticalAccuracy: Double?
        let course, courseAccuracy: Double?
        let speed, speedAccuracy: Double?
        let time: Double?
        let isEstimate: Bool?

        func measured() throws(ProgramError.Rule) -> SourceFix {
            try ProgramReport.check("latitude", self.latitude, -90...90)
            try ProgramReport.check("longitude", self.longitude, -180...180)
            try ProgramReport.check("accuracy", self.accuracy, 0.001...2_000_000)
            try ProgramReport.check("altitude", self.altitude, -20_000...2_000_000)
            try ProgramReport.check("ellipsoidalAltitude", self.ellipsoidalAltitude, -20_000...2_000_000)
            try ProgramReport.check("verticalAccuracy", self.verticalAccuracy, 0.001...2_000_000)
            try ProgramReport.check("course", self.course, 0...360)
            try ProgramReport.check("courseAccuracy", self.courseAccuracy, 0...180)
            try ProgramReport.check("speed", self.speed, 0...20_000)
            try ProgramReport.check("speedAccuracy", self.speedAccuracy, 0...20_000)
            // Until the year 9999.
            try ProgramReport.check("time", self.time, 0...253_402_300_799)
            var fix = SourceFix(
                latitude: self.latitude,
                longitude: self.longitude,
                horizontalAccuracy: self.accuracy ?? -1,
                time: self.time
            )
            fix.altitude = self.altitude
            fix.ellipsoidalAltitude = self.ellipsoidalAltitude
            fix.verticalAccuracy = self.verticalAccuracy
            fix.course = self.course
            fix.courseAccuracy = self.courseAccuracy
            fix.speed = self.speed
            fix.speedAccuracy = self.speedAccuracy
            fix.isEstimate = self.isEstimate ?? false
            return fix
        }
    }

    /// A heading; degrees.
    struct Direction: Decodable {
        let trueNorth, magneticNorth: Double?
        let time: Double?

        func measured() throws(ProgramError.Rule) -> SourceHeading {
            try ProgramReport.check("trueNorth", self.trueNorth, 0...360)
            try ProgramReport.check("magneticNorth", self.magneticNorth, 0...360)
            try ProgramReport.check("time", self.time, 0...253_402_300_799)
            guard self.trueNorth != nil || self.magneticNorth != nil else { throw .empty }
            return SourceHeading(
                magnetic: self.magneticNorth,
                geographic: self.trueNorth,
                variation: nil,
                isDisturbed: false,
                time: self.time
            )
        }
    }

    private static func check(
        _ field: String,
        _ value: Double?,
        _ range: ClosedRange<Double>
    ) throws(ProgramError.Rule) {
        guard let value else { return }
        guard range.contains(value) else { throw .outOfRange(field: field) }
    }
}
