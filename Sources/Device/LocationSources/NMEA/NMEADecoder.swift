/// Decodes NMEA 0183 as receivers send it: bytes in, one event per epoch out.
///
/// A receiver describes one moment in several sentences (RMC, GGA, GSA and so on) and does not say which is the last.
/// The epoch ends with the first sentence of another time of day, so a fix comes out one epoch late. A decoder that
/// learns the cycle notices which sentence comes last and reports the fix with it, as gpsd does. When the line is
/// silent for ``quiet``, or at the end of a file, call ``flush()`` to get the epoch so far; later sentences of the same
/// moment amend it, and it is reported again if they change it.
///
/// Accuracy comes from GST or the receiver's own estimate (PUBX,00, PGRME), otherwise from the dilution of precision
/// (``AccuracyModel``). Any instrument's positions are read; if there are several talkers, one of them is used
/// (``TalkerChoice``). Sentences need a checksum. They may be up to ``sentenceBytesMax`` long, three times the 82 of
/// the standard, because receivers with more digits than the standard foresaw exceed it. Noise between sentences, lines
/// that begin with `#`, and other sentences are skipped. At most one sentence and one epoch are kept.
public struct NMEADecoder: Sendable {
    /// An event in a receiver's output.
    public enum Event: Sendable, Hashable {
        /// A measurement: an epoch with a position, or a heading.
        case measured(SourceMeasurement)
        /// An epoch without a position: the receiver works but sees too few satellites.
        case noFix
        /// A sentence was dropped; the rest of its epoch is used.
        case malformed(NMEAError)
    }

    /// The longest sentence that is read, in bytes, `$` and line end not counted.
    public static let sentenceBytesMax = 246

    /// The decoder's position in the stream.
    private enum State: Sendable {
        /// Between sentences.
        case outside
        /// Inside a line that began with `#`, which may quote sentences.
        case comment
        /// In a sentence, which began at that offset.
        case sentence(offset: Int)
    }

    private var state = State.outside
    private var sentence = NMEASentence()
    /// The number of bytes in the earlier pieces.
    private var offset = 0
    private var isLineStart = true
    private var epoch = NMEAEpoch()
    /// The newest event of the current epoch; nil: nothing was reported.
    private var told: Event?
    private var talkers = TalkerChoice()
    private var satellites = NMEASky()
    /// The last epoch whose date was known, in days since 1970-01-01 and milliseconds since midnight.
    private var dated: (date: Int, timeOfDay: Int)?
    /// The receiver's cycle; nil: the decoder does not learn it.
    private var cycle: NMEACycle?

    /// The last reported satellites.
    public var sky: SkyView { self.satellites.view }
    /// The number of sentences with a valid checksum and a known type.
    public private(set) var sentenceCount = 0

    /// The silence on the line after which to call ``flush()``.
    public var quiet: Duration { self.cycle?.quiet ?? .milliseconds(100) }

    /// Creates a decoder for a new stream.
    ///
    /// - Parameter learnsCycle: whether to learn which sentence ends an epoch, and report the epoch then, not when the next one begins.
    public init(learnsCycle: Bool = false) {
        self.cycle = learnsCycle ? NMEACycle() : nil
    }

    /// Reads the next bytes of the stream.
    ///
    /// - Parameter bytes: what arrived, in a piece of any size.
    /// - Returns: an event for each epoch that ended and each sentence that was dropped, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        let whole: Void? = bytes.withContiguousStorageIfAvailable { unsafe self.read($0.span, &events) }
        if whole == nil { self.read(Array(bytes).span, &events) }
        return events
    }

    /// Reports the current epoch even if it is incomplete; the stream may continue.
    ///
    /// - Returns: its event; none when no epoch is in progress, or nothing was added since its last report.
    public mutating func flush() -> [Event] {
        self.tell().map { [$0] } ?? []
    }

    private mutating func read(_ bytes: Span<UInt8>, _ events: inout [Event]) {
        var index = 0
        while index < bytes.count {
            switch self.state {
            case .outside: index = self.skip(bytes, from: index)
            case .comment:
                while index < bytes.count, !Self.isLineEnd(bytes[index]) { index += 1 }
                if index < bytes.count { self.state = .outside }
            case .sentence(let start): index = self.collect(bytes, from: index, start, &events)
            }
        }
        if let last = bytes.indices.last { self.isLineStart = Self.isLineEnd(bytes[last]) }
        self.offset += bytes.count
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Skips to the byte after the next `$` or `#` that begins a line.
    private mutating func skip(_ bytes: Span<UInt8>, from start: Int) -> Int {
        for index in start..<bytes.count {
            if bytes[index] == UInt8(ascii: "$") {
                self.begin(at: self.offset + index)
                return index + 1
            }
            guard bytes[index] == UInt8(ascii: "#") else { continue }
            if index == 0 ? self.isLineStart : Self.isLineEnd(bytes[index - 1]) {
                self.state = .comment
                return index + 1
            }
        }
        return bytes.count
    }

    private mutating func begin(at offset: Int) {
        self.sentence.clear()
        self.state = .sentence(offset: offset)
    }

    /// Reads the bytes of a sentence, up to its end if the piece contains it.
    private mutating func collect(
        _ bytes: Span<UInt8>,
        from first: Int,
        _ start: Int,
        _ events: inout [Event]
    ) -> Int {
        let room = Self.sentenceBytesMax - self.sentence.body.count
        let last = min(bytes.count, first + room)
        var end = first
        while end < last, !Self.isLineEnd(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        self.sentence.append(bytes.extracting(first..<end))
        guard end < bytes.count else { return end }
        if Self.isLineEnd(bytes[end]) {
            self.state = .outside
            self.endSentence(start, &events)
            return end + 1
        }
        if bytes[end] == UInt8(ascii: "$") {
            events.append(.malformed(NMEAError(rule: .noChecksum, offset: start)))
            self.begin(at: self.offset + end)
            return end + 1
        }
        self.state = .outside
        events.append(.malformed(NMEAError(rule: .tooLong(limit: Self.sentenceBytesMax), offset: start)))
        return end + 1
    }

    private mutating func endSentence(_ start: Int, _ events: inout [Event]) {
        do {
            guard try self.sentence.close() else { return }
            self.sentenceCount += 1
            if self.sentence.kind.isHeading {
                if let heading = try self.sentence.heading() { events.append(.measured(.heading(heading))) }
                return
            }
            guard self.talkers.spoke(self.sentence.talker) else { return }
            self.satellites.sentenceCame(self.sentence)
            guard self.sentence.kind != .gsv else { return }
            if try self.epoch.isEnded(by: self.sentence) {
                if let event = self.tell() { events.append(event) }
                self.cycle?.epochEnded(timeOfDay: self.epoch.timeOfDay)
                self.epoch = NMEAEpoch()
                self.told = nil
            }
            try self.epoch.add(self.sentence)
            self.cycle?.sentenceCame(self.sentence.kind)
            if self.cycle?.isEnd == true, let event = self.tell() { events.append(event) }
        } catch {
            events.append(.malformed(NMEAError(rule: error, offset: start)))
        }
    }

    /// The event of the current epoch, if it has a position that was not reported.
    private mutating func tell() -> Event? {
        let time = self.time()
        guard self.epoch.isDecided else { return nil }
        let event: Event = self.epoch.fix(time: time).map { .measured(.fix($0)) } ?? .noFix
        guard event != self.told else { return nil }
        self.told = event
        return event
    }

    /// The UNIX seconds of the epoch; without a date, that of the last one, or the next day after midnight.
    private mutating func time() -> Double? {
        guard let timeOfDay = self.epoch.timeOfDay else { return nil }
        var date = self.epoch.date
        if date == nil, let last = self.dated {
            let halfDay = 43_200_000
            date = timeOfDay + halfDay < last.timeOfDay ? last.date + 1 : last.date
        }
        guard let date else { return nil }
        self.dated = (date, timeOfDay)
        return Double(date) * 86_400 + Double(timeOfDay) / 1000
    }
}
