/// The reports of gpsd that are used, in their wire format (gpsd_json(5)).
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
        /// gpsd's name of the receiver's protocol, such as `u-blox`; absent until it is recognized.
        let driver: String?
        /// Whether the receiver is on: gpsd reports its activation time, or 0 when it is gone.
        let isActive: Bool

        enum CodingKeys: String, CodingKey {
            case path, driver, activated
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.path = try container.decodeIfPresent(String.self, forKey: .path)
            self.driver = try container.decodeIfPresent(String.self, forKey: .driver)
            if let time = try? container.decode(Double.self, forKey: .activated) {
                self.isActive = time != 0
            } else {
                self.isActive = true
            }
        }
    }

    /// TPV; lengths in metres, speeds in metres per second, angles in degrees.
    ///
    /// gpsd does not report the confidence of error estimates: a receiver's own estimate is passed on as it is, and
    /// others are computed at 95 %. ``GPSDAccuracy`` distinguishes them.
    struct TimePositionVelocity: Decodable {
        let device: String?
        let mode: Int
        /// 2 and above: corrected; 8: a simulator.
        let status: Int?
        let time: String?
        let lat, lon: Double?
        let altMSL, altHAE, alt: Double?
        let eph, epx, epy, epv: Double?
        let track, epd: Double?
        let speed, eps: Double?
        /// Degrees from true to magnetic north, east positive, from the receiver, otherwise from gpsd's model.
        let magvar: Double?

        /// When the fix was measured, in UNIX seconds.
        func seconds() throws(GPSDError.Rule) -> Double? {
            guard let time = self.time else { return nil }
            guard let seconds = UTCTime.seconds(iso8601: time) else { throw .outOfRange(field: "time") }
            return seconds
        }

        /// The fix; nil in the modes 0 and 1, and from a simulator.
        func fix(_ accuracy: GPSDAccuracy) throws(GPSDError.Rule) -> SourceFix? {
            guard self.mode >= 2, self.status != 8 else { return nil }
            guard let latitude = self.lat, let longitude = self.lon else {
                throw .wrongShape(report: "TPV")
            }
            guard abs(latitude) <= 90 else { throw .outOfRange(field: "lat") }
            guard abs(longitude) <= 180 else { throw .outOfRange(field: "lon") }
            var fix = SourceFix(
                latitude: latitude,
                longitude: longitude,
                horizontalAccuracy: accuracy.horizontal(eph: self.eph, epx: self.epx, epy: self.epy) ?? -1,
                time: try self.seconds()
            )
            if self.mode == 3 {
                fix.altitude = self.altMSL ?? self.alt
                fix.ellipsoidalAltitude = self.altHAE
                if fix.altitude != nil || fix.ellipsoidalAltitude != nil {
                    fix.verticalAccuracy = accuracy.vertical(epv: self.epv)
                }
            }
            if let track = self.track, (0...360).contains(track) {
                fix.course = track
                fix.courseAccuracy = accuracy.ofMotion(self.epd)
            }
            if let speed = self.speed, speed >= 0 {
                fix.speed = speed
                fix.speedAccuracy = accuracy.ofMotion(self.eps)
            }
            return fix
        }
    }

    /// GST: the standard deviations of the position in metres, as reported by the receiver.
    struct Deviations: Decodable {
        let device: String?
        let time: String?
        let lat, lon, alt: Double?
    }

    /// SKY: the satellites.
    struct Sky: Decodable {
        struct Satellite: Decodable {
            let used: Bool?
        }

        let device: String?
        let hdop, vdop: Double?
        /// The numbers of satellites seen and used; since gpsd 3.23.
        let nSat, uSat: Int?
        let satellites: [Satellite]?

        var view: SkyView {
            var view = SkyView()
            view.seen = self.nSat ?? self.satellites?.count
            view.used = self.uSat ?? self.satellites?.count { $0.used == true }
            view.hdop = self.hdop.flatMap { AccuracyModel.isKnown(dilution: $0) ? $0 : nil }
            return view
        }
    }

    /// ATT; degrees.
    struct Attitude: Decodable {
        let device: String?
        let time: String?
        let heading: Double?
        /// From magnetic north; since gpsd 3.23.
        let mheading: Double?
        /// The state of the magnetometer: `N` when all is well.
        let status: String?

        enum CodingKeys: String, CodingKey {
            case device, time, heading, mheading
            case status = "mag_st"
        }

        /// The heading; nil when the report has none, for example from a receiver that measures only roll and pitch.
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
