/// A recorded NMEA 0183 file as fixes with their pacing, to be played in real time.
///
/// ```
/// let replay = try NMEAReplay(bytes)
/// for number in 0... {
///     let epoch = replay.epoch(number)          // goes on from the beginning after the last one
///     // wait until start + epoch.offset
///     deliver(epoch.fix.stamped(at: now))       // the position matters, the time must be fresh
/// }
/// ```
public struct NMEAReplay: Sendable {
    /// A fix and when to play it.
    public struct Epoch: Sendable, Hashable {
        /// The time since the first fix of the recording.
        public let offset: Duration
        /// The fix, with the recorded time.
        public let fix: SourceFix
    }

    /// Why a file cannot be played.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file is longer than the limit, which is given in bytes.
        case tooLong(limit: Int)
        /// The file has no fix with a date; so many of its sentences were malformed.
        case noDatedFix(malformed: Int)

        /// The rule and the remedy.
        public var description: String {
            switch self {
            case .tooLong(let limit): "the recording is longer than \(limit) bytes; cut it"
            case .noDatedFix(let malformed):
                "the recording has no NMEA 0183 fix with a date (\(malformed) malformed sentences); "
                    + "it needs valid RMC sentences, `locationctl track` makes such a file"
            }
        }
    }

    /// The longest recording that is read: 64 MiB, about two days at 1 Hz.
    public static let bytesMax = 64 << 20

    /// The fixes in the order of time; at least one.
    public let epochs: [Epoch]
    /// The number of malformed sentences that were dropped while reading.
    public let malformedCount: Int
    /// How long one lap takes: the time from the first fix to the last, and the pause before the last one once more.
    public let lap: Duration

    /// Reads a recording.
    ///
    /// Fixes without a date, and fixes whose time does not advance, are dropped. Gaps are kept: a tunnel is played.
    ///
    /// - Parameter bytes: the whole file.
    /// - Throws: ``Failure`` when the file is too long or has no fix with a date.
    public init(_ bytes: some Collection<UInt8>) throws(Failure) {
        guard bytes.count <= Self.bytesMax else { throw .tooLong(limit: Self.bytesMax) }
        var decoder = NMEADecoder()
        let events = decoder.feed(bytes) + decoder.flush()
        var epochs: [Epoch] = []
        var malformed = 0
        var first: Double?
        for event in events {
            switch event {
            case .malformed: malformed += 1
            case .noFix, .measured(.heading): continue
            case .measured(.fix(let fix)):
                guard let time = fix.time else { continue }
                let offset = Duration.milliseconds(Int(((time - (first ?? time)) * 1000).rounded()))
                guard first == nil || offset > epochs.last?.offset ?? .zero else { continue }
                first = first ?? time
                epochs.append(Epoch(offset: offset, fix: fix))
            }
        }
        guard let last = epochs.last else { throw .noDatedFix(malformed: malformed) }
        self.epochs = epochs
        self.malformedCount = malformed
        self.lap = last.offset + (epochs.count > 1 ? last.offset - epochs[epochs.count - 2].offset : .seconds(1))
    }

    /// Returns an epoch of an endless replay: after the last one the recording begins again.
    ///
    /// - Parameter number: 0 is the first; not negative.
    /// - Returns: the fix and its time since the first one of the first lap.
    public func epoch(_ number: Int) -> Epoch {
        precondition(number >= 0, "the number of an epoch must be ≥ 0, got \(number)")
        let (lap, index) = number.quotientAndRemainder(dividingBy: self.epochs.count)
        return Epoch(offset: self.lap * lap + self.epochs[index].offset, fix: self.epochs[index].fix)
    }
}
