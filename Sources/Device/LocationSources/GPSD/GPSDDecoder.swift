internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// Decodes gpsd's JSON protocol, version 3 (gpsd_json(5)): bytes in, events out.
///
/// Send ``watchCommand`` after connecting, then feed what arrives, in pieces of any size. A wrong line causes an event,
/// and reading continues with the next line. At most one line of ``lineBytesMax`` bytes is kept.
///
/// Only one of several receivers is used (``GPSDReceivers``), and the meaning of an error estimate depends on its
/// driver (``GPSDAccuracy``).
public struct GPSDDecoder: Sendable {
    /// The meaning of one line from gpsd.
    public enum Event: Sendable, Hashable {
        /// gpsd sent its greeting, which is the first event of a connection.
        ///
        /// Send ``GPSDDecoder/watchCommand`` now.
        case ready(release: String)
        /// gpsd accepted the subscription (or ended it).
        case watching(Bool)
        /// The paths of gpsd's receivers; without any, no fix can arrive.
        case devices([String])
        /// A receiver began to deliver.
        case deviceFound(path: String)
        /// A receiver vanished; others may remain (``GPSDDecoder/hasReceiver``).
        case deviceLost(path: String)
        /// A measurement: a position (mode 2 or 3), or a heading.
        case measured(SourceMeasurement)
        /// The receiver works but has no position (mode 0 or 1), or is a simulator.
        case noFix
        /// gpsd refused a command or reported a problem, in a message that may be shown.
        case failed(message: String)
        case malformed(GPSDError)
    }

    /// The line that subscribes to reports.
    public static let watchCommand = "?WATCH={\"enable\":true,\"json\":true};\n"
    /// The command that gpsd answers at once, with or without a receiver.
    public static let pingCommand = "?VERSION;\n"
    /// The longest line that is read, in bytes without the line end.
    ///
    /// gpsd's `GPS_JSON_RESPONSE_MAX` is 10,240 (3.22), but SKY of a receiver with 100 signals is longer (3.26).
    public static let lineBytesMax = 32_768
    /// The longest text of gpsd's that is passed on, in bytes.
    static let messageBytesMax = 200

    private var lines = LineBuffer(bytesMax: Self.lineBytesMax)
    /// The last reported magnetic variation.
    private var variation: Double?
    private var receivers = GPSDReceivers()

    /// The number of lines that were reports, of whatever class.
    public private(set) var reportCount = 0
    /// Whether gpsd has a receiver, as far as it has reported.
    public var hasReceiver: Bool { !self.receivers.receivers.isEmpty }
    /// The path of the receiver whose fixes are used; nil when it is not known.
    public var device: String? { self.receivers.current?.path }
    /// gpsd's name of that receiver's driver; nil when it is not known.
    public var driver: String? { self.receivers.current?.accuracy.driver }
    /// The last reported satellites of that receiver.
    public var sky: SkyView { self.receivers.current?.sky ?? SkyView() }

    /// Creates a decoder for a new connection.
    public init() {}

    /// Reads the next bytes of the connection.
    ///
    /// - Parameter bytes: what arrived.
    /// - Returns: the events of all lines that ended in `bytes`, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            switch self.lines.feed(byte) {
            case .line(let line, let start):
                if let event = self.lineEnded(line, start: start) { events.append(event) }
            case .tooLong(let start):
                events.append(.malformed(GPSDError(rule: .lineTooLong(limit: Self.lineBytesMax), offset: start)))
            case nil: break
            }
        }
        return events
    }

    private mutating func lineEnded(_ bytes: [UInt8], start: Int) -> Event? {
        func malformed(_ rule: GPSDError.Rule) -> Event { .malformed(GPSDError(rule: rule, offset: start)) }
        let line = Data(bytes)
        guard let name = Self.className(of: bytes) ?? (try? JSONReader().decode(GPSDReport.self, from: line))?.class
        else { return malformed(.notAReport) }
        do {
            let event = try self.event(of: name, in: line)
            self.reportCount += 1
            return event
        } catch let rule as GPSDError.Rule {
            return malformed(rule)
        } catch DecodingError.dataCorrupted {
            return malformed(.notAReport)
        } catch {
            return malformed(.wrongShape(report: name))
        }
    }

    /// The class of a line, found without parsing, because most lines contain nothing that we use.
    private static func className(of line: [UInt8]) -> String? {
        let beginning = Array("{\"class\":\"".utf8)
        guard line.starts(with: beginning), line.last == UInt8(ascii: "}") else { return nil }
        let name = line.dropFirst(beginning.count).prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard !name.isEmpty, name.endIndex < line.count, line[name.endIndex] == UInt8(ascii: "\"") else {
            return nil
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The event of a report; nil for a class without position or receivers (PPS and others).
    private mutating func event(of name: String, in line: Data) throws -> Event? {
        let decoder = JSONReader()
        switch name {
        case "VERSION":
            let version = try decoder.decode(GPSDReport.Version.self, from: line)
            guard version.protocolMajor == 3 else {
                throw GPSDError.Rule.unsupportedProtocol(major: version.protocolMajor)
            }
            return .ready(release: version.release)
        case "WATCH":
            return .watching(try decoder.decode(GPSDReport.Watch.self, from: line).enable ?? true)
        case "DEVICES":
            let devices = try decoder.decode(GPSDReport.Devices.self, from: line).devices
            self.receivers.listed(devices.compactMap { $0.isActive ? $0.path : nil })
            for device in devices where device.isActive { self.note(device) }
            return .devices(devices.compactMap(\.path))
        case "DEVICE":
            let device = try decoder.decode(GPSDReport.Device.self, from: line)
            guard let path = device.path else { return nil }
            guard device.isActive else {
                self.receivers.lost(path)
                return .deviceLost(path: path)
            }
            self.note(device)
            return .deviceFound(path: path)
        case "TPV": return try self.position(decoder.decode(GPSDReport.TimePositionVelocity.self, from: line))
        case "SKY":
            let sky = try decoder.decode(GPSDReport.Sky.self, from: line)
            self.receivers.update(sky.device) { receiver in
                receiver.sky = sky.view
                // A SKY without satellites and dilutions does not end an epoch: newer gpsd sends them separately.
                receiver.accuracy.hdop = sky.hdop ?? receiver.accuracy.hdop
                receiver.accuracy.vdop = sky.vdop ?? receiver.accuracy.vdop
            }
            return nil
        case "GST":
            let report = try decoder.decode(GPSDReport.Deviations.self, from: line)
            self.receivers.update(report.device) { receiver in
                let horizontal = report.lat.flatMap { north in
                    report.lon.flatMap { AccuracyModel.standardError(east: $0, north: north) }
                }
                receiver.accuracy.deviations = (horizontal, report.alt)
                receiver.deviationsTime = report.time
            }
            return nil
        case "ATT":
            let report = try decoder.decode(GPSDReport.Attitude.self, from: line)
            return try report.heading(variation: self.variation).map { .measured(.heading($0)) }
        case "ERROR":
            let message = try decoder.decode(GPSDReport.Failure.self, from: line).message
            return .failed(message: PlainText.of(message, bytesMax: Self.messageBytesMax))
        default:
            return nil
        }
    }

    private mutating func note(_ device: GPSDReport.Device) {
        guard let path = device.path else { return }
        self.receivers.update(path) { $0.accuracy.driver = device.driver ?? $0.accuracy.driver }
    }

    private mutating func position(_ report: GPSDReport.TimePositionVelocity) throws -> Event? {
        if let variation = report.magvar, abs(variation) <= 180 { self.variation = variation }
        var accuracy = self.receivers.accuracy(of: report.device)
        let receiver = self.receivers.receivers.first { $0.path == report.device }
        if let told = receiver?.deviationsTime, !Self.isAtOnce(told, report.time) { accuracy.deviations = nil }
        guard let fix = try report.fix(accuracy) else {
            // A report of another receiver says nothing about the chosen one.
            return self.device == nil || report.device == self.device ? .noFix : nil
        }
        return self.receivers.fixCame(of: report.device, at: fix.time) ? .measured(.fix(fix)) : nil
    }

    /// Whether deviations belong to a fix although their times may differ: GST may arrive before or after its TPV.
    private static func isAtOnce(_ deviations: String, _ fix: String?) -> Bool {
        guard let fix = fix.flatMap({ UTCTime.seconds(iso8601: $0) }),
            let deviations = UTCTime.seconds(iso8601: deviations)
        else { return false }
        return abs(fix - deviations) <= 2
    }
}
