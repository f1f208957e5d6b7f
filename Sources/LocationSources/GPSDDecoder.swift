internal import Foundation

/// Decodes gpsd's JSON protocol, version 3 (gpsd_json(5)): bytes in, events out.
///
/// Send ``watchCommand`` after connecting, then feed what arrives, in pieces of any size. A wrong line is an event and
/// the next line is read as if nothing had happened. At most one line of ``lineBytesMax`` bytes is kept.
public struct GPSDDecoder: Sendable {
    /// The meaning of one line from gpsd.
    public enum Event: Sendable, Hashable {
        /// gpsd greeted; this is the first event of a connection. Send ``GPSDDecoder/watchCommand`` now.
        case ready(release: String)
        /// gpsd accepted the subscription (or ended it).
        case watching(Bool)
        /// The receivers gpsd has, as paths; none means that no fix can come.
        case devices([String])
        /// A receiver began to deliver.
        case deviceFound(path: String)
        /// A receiver is gone.
        case deviceLost(path: String)
        /// A measurement: a position (mode 2 or 3), or a heading.
        case measured(SourceMeasurement)
        /// The receiver works but has no position (mode 0 or 1).
        case noFix
        /// gpsd refused a command or reports a problem of its own.
        case failed(message: String)
        /// A line was dropped.
        case malformed(GPSDError)
    }

    /// The line that subscribes to reports.
    public static let watchCommand = "?WATCH={\"enable\":true,\"json\":true};\n"
    /// The longest line that is read, in bytes without the line end: gpsd's `GPS_JSON_RESPONSE_MAX` (3.22).
    public static let lineBytesMax = 10_240

    private var line: [UInt8] = []
    private var lineStart = 0
    private var offset = 0
    private var isSkipping = false
    /// The magnetic variation said last.
    private var variation: Double?

    /// Creates a decoder for a new connection.
    public init() {}

    /// Reads the next bytes of the connection.
    ///
    /// - Parameter bytes: what arrived.
    /// - Returns: the events of all lines that ended in `bytes`, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            self.offset += 1
            if byte == UInt8(ascii: "\n") {
                if !self.isSkipping, let event = self.lineEnded() { events.append(event) }
                self.line.removeAll(keepingCapacity: true)
                self.lineStart = self.offset
                self.isSkipping = false
            } else if self.isSkipping {
                continue
            } else if self.line.count == Self.lineBytesMax, byte != UInt8(ascii: "\r") {
                events.append(.malformed(self.error(.lineTooLong(limit: Self.lineBytesMax))))
                self.isSkipping = true
            } else if byte != UInt8(ascii: "\r") {
                self.line.append(byte)
            }
        }
        return events
    }

    private func error(_ rule: GPSDError.Rule) -> GPSDError {
        GPSDError(rule: rule, offset: self.lineStart)
    }

    private mutating func lineEnded() -> Event? {
        guard !self.line.isEmpty else { return nil }
        let line = Data(self.line)
        guard let report = try? JSONDecoder().decode(GPSDReport.self, from: line) else {
            return .malformed(self.error(.notAReport))
        }
        do {
            return try self.event(of: report.class, in: line)
        } catch let rule as GPSDError.Rule {
            return .malformed(self.error(rule))
        } catch {
            return .malformed(self.error(.wrongShape(report: report.class)))
        }
    }

    /// The event of a report; nil for a class that says nothing about position or receivers (SKY, GST, PPS and others).
    private mutating func event(of name: String, in line: Data) throws -> Event? {
        let decoder = JSONDecoder()
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
            return .devices(try decoder.decode(GPSDReport.Devices.self, from: line).devices.compactMap(\.path))
        case "DEVICE":
            let device = try decoder.decode(GPSDReport.Device.self, from: line)
            guard let path = device.path else { return nil }
            return device.isActive ? .deviceFound(path: path) : .deviceLost(path: path)
        case "TPV":
            let report = try decoder.decode(GPSDReport.TimePositionVelocity.self, from: line)
            if let variation = report.magvar, abs(variation) <= 180 { self.variation = variation }
            return try report.fix().map { .measured(.fix($0)) } ?? .noFix
        case "ATT":
            let report = try decoder.decode(GPSDReport.Attitude.self, from: line)
            return try report.heading(variation: self.variation).map { .measured(.heading($0)) }
        case "ERROR":
            return .failed(message: try decoder.decode(GPSDReport.Failure.self, from: line).message)
        default:
            return nil
        }
    }
}
