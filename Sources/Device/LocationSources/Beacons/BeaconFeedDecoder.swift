internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsVocabulary

/// Decodes the lines of a scanner of beacons (`docs/beacons.md`): bytes in, events out.
///
/// A wrong line causes an event with the broken rule and without the content; reading continues with the next line. At most
/// one line of ``lineBytesMax`` bytes is kept, and at most ``advertisementsMax`` receptions are accepted in a second.
public struct BeaconFeedDecoder: Sendable {
    /// The meaning of one line.
    public enum Event: Sendable, Hashable {
        case received(SourceAdvertisement)
        /// The scanner listens, and received nothing.
        case listening
        case deaf
        case malformed(BeaconFeedError)
    }

    /// The longest line that is read, in bytes without its end; a line with all fields has about 150.
    public static let lineBytesMax = 1024
    /// The maximum number of receptions that are accepted in a second: ten of each of fifty beacons.
    public static let advertisementsMax = 500
    /// The maximum number of seconds between a reception's time and the device's clock.
    ///
    /// An older reception shows an earlier place.
    static let secondsMax = 5

    private var lines = LineBuffer(bytesMax: Self.lineBytesMax)
    private var allowance = GCRA(
        burst: Self.advertisementsMax,
        every: .nanoseconds(1_000_000_000 / Self.advertisementsMax)
    )

    /// Creates a decoder for a new connection.
    public init() {}

    /// Reads the next bytes of the connection.
    ///
    /// - Parameters:
    ///   - bytes: what arrived.
    ///   - now: when, by both clocks.
    /// - Returns: the events of all lines that ended in `bytes`, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>, now: Now) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            switch self.lines.feed(byte) {
            case .line(let line, let start): events.append(self.lineEnded(line, start: start, now: now))
            case .tooLong(let start):
                events.append(.malformed(BeaconFeedError(rule: .lineTooLong(limit: Self.lineBytesMax), offset: start)))
            case nil: break
            }
        }
        return events
    }

    private mutating func lineEnded(_ line: [UInt8], start: Int, now: Now) -> Event {
        do throws(BeaconFeedError.Rule) {
            let report: BeaconFeedReport
            do { report = try JSONReader().decode(BeaconFeedReport.self, from: Data(line)) } catch {
                throw .notAReport
            }
            guard
                let advertisement = try report.advertisement(wall: now.wall.timeIntervalSince1970, Self.secondsMax)
            else { return report.listening == true ? .listening : .deaf }
            guard self.allowance.take(now: now.monotonic) else { throw .tooMany(limit: Self.advertisementsMax) }
            return .received(advertisement)
        } catch {
            return .malformed(BeaconFeedError(rule: error, offset: start))
        }
    }
}
