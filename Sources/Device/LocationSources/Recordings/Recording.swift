/// A recorded file as fixes with their pacing: GPX, NMEA 0183, or gpsd's JSON.
///
/// ``Playback`` plays it.
public struct Recording: Sendable {
    /// A fix and when to play it.
    public struct Epoch: Sendable, Hashable {
        /// The time since the first fix of the recording.
        public var offset: Duration
        /// The fix, with the recorded time.
        public var fix: SourceFix
        /// Whether the path from the previous fix is known, without a loss of reception.
        public var isConnected: Bool
    }

    /// The form of a file.
    public enum Format: String, Sendable, Hashable {
        /// The GPS Exchange Format, 1.0 and 1.1.
        case gpx = "GPX"
        case nmea = "NMEA 0183"
        /// Reports of gpsd (`gpspipe -w`, `locationctl record --raw`).
        case gpsd = "gpsd"
    }

    /// Why a file cannot be played.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file is longer than the limit, which is given in bytes.
        case tooLong(limit: Int)
        /// The file contains no bytes.
        case empty
        /// The file has no fix with a date when read in this format; the number counts its malformed lines.
        case noDatedFix(Format, malformed: Int)
        /// The file is XML and cannot be used.
        case gpx(GPXError)

        /// The rule and the remedy.
        public var description: String {
            switch self {
            case .tooLong(let limit): "the recording is longer than \(limit) bytes; shorten it"
            case .empty: "the recording is empty; record it again"
            case .noDatedFix(.gpsd, let malformed):
                "the recording has no position of gpsd's with a time (\(malformed) malformed lines); "
                    + "`gpspipe -w` and `locationctl record --raw` make such a file"
            case .noDatedFix(_, let malformed):
                "the recording has no NMEA 0183 fix with a date (\(malformed) malformed sentences); "
                    + "it needs valid RMC sentences, `locationctl track` makes such a file. GPX and gpsd's JSON are played, too"
            case .gpx(let error): "\(error)"
            }
        }
    }

    /// The longest recording that is read: 64 MiB, about two days at 1 Hz.
    public static let bytesMax = 64 << 20
    /// The longest silence of a receiver that is not a loss of reception, as in the engine.
    static let silenceMax = Duration.seconds(5)
    /// The walking speed on a route without times, in metres a second.
    ///
    /// Pedestrians choose 1.2 to 1.4 m/s (Mohler et al., "Visual flow influences gait transition speed", 2007).
    static let walkingSpeed = 1.4
    /// The standard error of a fix of GPX without accuracy and dilution, in metres.
    ///
    /// GPS.gov, "GPS Accuracy": smartphones are within 4.9 m under an open sky (a study of 2015 by ION).
    static let phoneAccuracy = 4.9

    /// The form of the file.
    public let format: Format
    /// The fixes in the order of time; at least one.
    public let epochs: [Epoch]
    /// The number of malformed lines, and of GPX points whose time is missing or does not advance.
    public let droppedCount: Int
    /// The duration of a repetition: from the first fix to the last, plus the interval before the last one.
    public let lap: Duration

    /// Reads a recording, and detects its form by the content.
    ///
    /// Fixes without a date, and fixes whose time does not advance, are dropped. Gaps are kept: a tunnel is played.
    ///
    /// - Parameter bytes: the whole file.
    /// - Throws: ``Failure`` when the file is too long or has no fix with a date.
    public init(_ bytes: some Collection<UInt8>) throws(Failure) {
        guard bytes.count <= Self.bytesMax else { throw .tooLong(limit: Self.bytesMax) }
        guard !bytes.isEmpty else { throw .empty }
        self.format = Self.format(of: bytes)
        var (fixes, dropped): Fixes =
            switch self.format {
            case .gpx: try Self.fixesOfGPX(bytes)
            case .nmea: Self.fixesOfNMEA(bytes)
            case .gpsd: Self.fixesOfGPSD(bytes)
            }
        var epochs: [Epoch] = []
        let first = fixes.lazy.compactMap(\.fix.time).first ?? 0
        for (fix, isConnected) in fixes {
            guard let time = fix.time else { continue }
            let offset = Duration.milliseconds(Int(((time - first) * 1000).rounded()))
            if let last = epochs.last?.offset, offset <= last {
                // Receivers repeat fixes, but a dropped point of a GPX file is a loss.
                if self.format == .gpx { dropped += 1 }
                continue
            }
            let silence = epochs.last.map { offset - $0.offset }
            let isNear = self.format == .gpx || silence.map { $0 <= Self.silenceMax } ?? false
            epochs.append(Epoch(offset: offset, fix: fix, isConnected: silence != nil && isConnected && isNear))
        }
        guard let last = epochs.last else { throw .noDatedFix(self.format, malformed: dropped) }
        self.epochs = epochs
        self.droppedCount = dropped
        self.lap = last.offset + (epochs.count > 1 ? last.offset - epochs[epochs.count - 2].offset : .seconds(1))
    }

    /// Returns an epoch of endless playback, in which the recording starts again after the last one.
    ///
    /// - Parameter number: 0 is the first; not negative.
    /// - Returns: the fix and its time since the first one of the first lap.
    public func epoch(_ number: Int) -> Epoch {
        precondition(number >= 0, "the number of an epoch must be ≥ 0, got \(number)")
        let (lap, index) = number.quotientAndRemainder(dividingBy: self.epochs.count)
        var epoch = self.epochs[index]
        epoch.offset += self.lap * lap
        return epoch
    }

    /// The number of the first epoch of endless playback after a time since the first one.
    func number(after offset: Duration) -> Int {
        guard offset >= .zero else { return 0 }
        let laps = Int(offset / self.lap)
        let rest = offset - self.lap * laps
        var (low, high) = (0, self.epochs.count)
        while low < high {
            let middle = (low + high) / 2
            if self.epochs[middle].offset > rest { high = middle } else { low = middle + 1 }
        }
        return laps * self.epochs.count + low
    }
}
