/// The reports of gpsd that matter here, as they are on the wire (gpsd_json(5)).
struct GPSDReport: Decodable {
    let `class`: String

    struct Version: Decodable {
        let release: String
        let protocolMajor: Int

        enum CodingKeys: String, CodingKey {
            case release
            case protocolMajor = "proto_major"
        }
    }

    struct Watch: Decodable {
        let enable: Bool?
    }

    struct Failure: Decodable {
        let message: String
    }

    struct Devices: Decodable {
        let devices: [Device]
    }

    struct Device: Decodable {
        let path: String?
        /// Whether the receiver is on: gpsd says when it was activated, or the number 0 when it is gone.
        let isActive: Bool

        enum CodingKeys: String, CodingKey {
            case path, activated
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.path = try container.decodeIfPresent(String.self, forKey: .path)
            if let time = try? container.decode(Double.self, forKey: .activated) {
                self.isActive = time != 0
            } else {
                self.isActive = true
            }
        }
    }

    /// TPV; lengths in metres, speeds in metres per second, angles in degrees, error estimates at 95 %.
    ///
    /// gpsd 3.20 and later call the confidence unknown (a receiver may report its own estimate), earlier manuals say
    /// 95 %, and so do the range errors in its source.
    struct TimePositionVelocity: Decodable {
        let mode: Int
        let time: String?
        let lat, lon: Double?
        let altMSL, altHAE, alt: Double?
        let eph, epx, epy, epv: Double?
        let track, epd: Double?
        let speed, eps: Double?
        /// Degrees from true to magnetic north, east positive; of the receiver, or of gpsd's model where it says none.
        let magvar: Double?

        /// The fix, or nil in the modes 0 and 1.
        func fix() throws(GPSDError.Rule) -> SourceFix? {
            guard self.mode >= 2 else { return nil }
            guard let latitude = self.lat, let longitude = self.lon else {
                throw .wrongShape(report: "TPV")
            }
            guard abs(latitude) <= 90 else { throw .outOfRange(field: "lat") }
            guard abs(longitude) <= 180 else { throw .outOfRange(field: "lon") }
            var seconds: Double?
            if let time = self.time {
                seconds = UTCTime.seconds(iso8601: time)
                guard seconds != nil else { throw .outOfRange(field: "time") }
            }
            var fix = SourceFix(
                latitude: latitude,
                longitude: longitude,
                horizontalAccuracy: self.horizontalAccuracy ?? -1,
                time: seconds
            )
            if self.mode == 3 {
                fix.altitude = self.altMSL ?? self.alt
                fix.ellipsoidalAltitude = self.altHAE
                fix.verticalAccuracy = fix.altitude == nil ? nil : self.epv.map { $0 * AccuracyModel.sigmaPerBound95 }
            }
            if let track = self.track, (0...360).contains(track) {
                fix.course = track
                fix.courseAccuracy = self.epd.map { $0 * AccuracyModel.sigmaPerBound95 }
            }
            if let speed = self.speed, speed >= 0 {
                fix.speed = speed
                fix.speedAccuracy = self.eps.map { $0 * AccuracyModel.sigmaPerBound95 }
            }
            return fix
        }

        /// From the circle if there is one, else from the two axes.
        private var horizontalAccuracy: Double? {
            if let eph = self.eph, eph > 0 { return eph * AccuracyModel.standardErrorPerRadius95 }
            guard let epx = self.epx, let epy = self.epy, epx > 0, epy > 0 else { return nil }
            return AccuracyModel.standardError(
                east: epx * AccuracyModel.sigmaPerBound95,
                north: epy * AccuracyModel.sigmaPerBound95
            )
        }
    }

    /// ATT; degrees.
    struct Attitude: Decodable {
        let time: String?
        /// From true north.
        let heading: Double?
        /// From magnetic north; since gpsd 3.23.
        let mheading: Double?
        /// The state of the magnetometer: `N` when all is well.
        let status: String?

        enum CodingKeys: String, CodingKey {
            case time, heading, mheading
            case status = "mag_st"
        }

        /// The heading; nil when the report has none, as one of a receiver that only rolls and pitches.
        func heading(variation: Double?) throws(GPSDError.Rule) -> SourceHeading? {
            for (field, angle) in [("heading", self.heading), ("mheading", self.mheading)] {
                if let angle, !(0...360).contains(angle) { throw .outOfRange(field: field) }
            }
            if self.heading == nil, self.mheading == nil { return nil }
            return SourceHeading(
                magnetic: self.mheading,
                geographic: self.heading,
                variation: variation,
                // Calibration and voltage alarms, and a field that is far too weak or too strong; M and O only warn.
                isDisturbed: ["C", "L", "P", "V"].contains(self.status),
                time: self.time.flatMap { UTCTime.seconds(iso8601: $0) }
            )
        }
    }
}
