internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsVocabulary

/// Decodes the lines of a program that reports positions (`docs/sources.md`): bytes in, events out.
///
/// A wrong line causes an event with the broken rule and without the content; reading continues with the next line. At most
/// one line of ``lineBytesMax`` bytes is kept, and at most ``measurementsMax`` measurements are accepted in a second.
public struct ProgramDecoder: Sendable {
    /// The meaning of one line.
    public enum Event: Sendable, Hashable {
        /// A position or a heading.
        case measured(SourceMeasurement)
        case searching
        /// The program has no position and will not have one soon.
        case lost
        case malformed(ProgramError)
    }

    /// The longest line that is read, in bytes without its end.
    ///
    /// A line with all fields, of seventeen digits each, has 500.
    public static let lineBytesMax = 4096
    /// The maximum number of measurements that are accepted in a second; receivers have at most 20.
    public static let measurementsMax = 50

    private var lines = LineBuffer(bytesMax: Self.lineBytesMax)
    private var allowance = GCRA(
        burst: Self.measurementsMax,
        every: .nanoseconds(1_000_000_000 / Self.measurementsMax)
    )

    /// The number of valid lines.
    public private(set) var lineCount = 0
    /// The name that the program gave itself, which may be shown; nil: none.
    public private(set) var name: String?

    /// The longest name that is shown, in bytes.
    static let nameBytesMax = 100

    /// Creates a decoder for a new connection.
    public init() {}

    /// Reads the next bytes of the connection.
    ///
    /// - Parameters:
    ///   - bytes: what arrived.
    ///   - now: when.
    /// - Returns: the events of all lines that ended in `bytes`, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>, now: EngineInstant) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            switch self.lines.feed(byte) {
            case .line(let line, let start): events += self.lineEnded(line, start: start, now: now)
            case .tooLong(let start):
                events.append(.malformed(ProgramError(rule: .lineTooLong(limit: Self.lineBytesMax), offset: start)))
            case nil: break
            }
        }
        return events
    }

    private mutating func lineEnded(_ line: [UInt8], start: Int, now: EngineInstant) -> [Event] {
        do throws(ProgramError.Rule) {
            let report: ProgramReport
            do { report = try JSONReader().decode(ProgramReport.self, from: Data(line)) } catch {
                throw .notAReport
            }
            let events = try self.events(of: report, now: now)
            self.lineCount += 1
            return events
        } catch {
            return [.malformed(ProgramError(rule: error, offset: start))]
        }
    }

    private mutating func events(of report: ProgramReport, now: EngineInstant) throws(ProgramError.Rule) -> [Event] {
        var events: [Event] = []
        if let fix = try report.fix?.measured() { events.append(.measured(.fix(fix))) }
        if let heading = try report.heading?.measured() { events.append(.measured(.heading(heading))) }
        switch report.state {
        case "searching": events.append(.searching)
        case "lost": events.append(.lost)
        case nil: break
        default: throw .outOfRange(field: "state")
        }
        if let name = report.name {
            self.name = PlainText.of(name, bytesMax: Self.nameBytesMax)
        } else if events.isEmpty {
            throw .empty
        }
        for event in events {
            if case .measured = event, !self.allowance.take(now: now) { throw .tooMany(limit: Self.measurementsMax) }
        }
        return events
    }
}
