/// Decodes NMEA 0183 as receivers send it: bytes in, one event per epoch out.
///
/// A receiver describes one moment in several sentences (RMC, GGA, GSA and so on) and does not say which is the last.
/// The epoch ends with the first sentence of another time of day, so a fix comes out one epoch late; call ``flush()``
/// when the line goes quiet (at the end of a file; on a serial line after a tenth of a second) to get it at once. A
/// decoder that learns the cycle notices which sentence comes last and ends the epoch with it, as gpsd does.
///
/// Accuracy comes from GST when the receiver sends it, else from the dilution of precision (``AccuracyModel``).
/// Sentences need a checksum. They may be up to ``sentenceBytesMax`` long, three times the 82 of the standard,
/// because receivers with more digits than the standard foresaw exceed it. Noise between sentences, lines that begin
/// with `#`, other talkers and other sentences are skipped. At most one sentence and one epoch are kept.
public struct NMEADecoder: Sendable {
    /// A finding in a receiver's output.
    public enum Event: Sendable, Hashable {
        /// A measurement: an epoch with a position, or a heading.
        case measured(SourceMeasurement)
        /// An epoch without a position: the receiver works but sees too few satellites.
        case noFix
        /// A sentence was dropped; the rest of its epoch counts.
        case malformed(NMEAError)
    }

    /// The longest sentence that is read, in bytes, `$` and line end not counted.
    public static let sentenceBytesMax = 246

    /// Where in the stream the decoder is.
    private enum State: Sendable {
        /// Between sentences.
        case outside
        /// In a line that began with `#`; it may quote sentences.
        case comment
        /// In a sentence; the bytes are in `body`.
        case sentence(offset: Int)
    }

    private var state = State.outside
    private var body: [UInt8] = []
    private var offset = 0
    private var isLineStart = true
    private var epoch = NMEAEpoch()
    /// The last epoch whose date was known, in days since 1970-01-01 and milliseconds since midnight.
    private var dated: (date: Int, timeOfDay: Int)?

    /// Which sentence ends the receiver's cycle; nil: the decoder does not learn it.
    private var cycle: Cycle?

    /// The order of a receiver's sentences, as far as the epochs so far showed it.
    private struct Cycle: Sendable {
        /// The sentence that came last in the epochs before, and in how many in a row.
        var last: (kind: NMEASentence.Kind, count: Int)?
        /// The sentence that came last in this epoch.
        var latest: NMEASentence.Kind?
        /// The time of day of the epoch that was ended early; what still comes of it is late.
        var ended: Int?

        /// Two epochs with the same end are no accident: receivers repeat their cycle.
        func isEnd(_ kind: NMEASentence.Kind) -> Bool { self.last.map { $0.kind == kind && $0.count >= 2 } ?? false }
    }

    /// Creates a decoder for a new stream.
    ///
    /// - Parameter learnsCycle: whether an epoch is ended by the sentence that ended those before it.
    public init(learnsCycle: Bool = false) {
        self.cycle = learnsCycle ? Cycle() : nil
    }

    /// Reads the next bytes of the stream.
    ///
    /// - Parameter bytes: what arrived, in a piece of any size.
    /// - Returns: an event for each epoch that ended and each sentence that was dropped, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            self.byteArrived(byte, &events)
            self.isLineStart = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            self.offset += 1
        }
        return events
    }

    /// Ends the epoch that is under way; the stream may go on.
    ///
    /// - Returns: its event, none when no epoch is under way.
    public mutating func flush() -> [Event] {
        self.learn()
        return self.endEpoch().map { [$0] } ?? []
    }

    private mutating func byteArrived(_ byte: UInt8, _ events: inout [Event]) {
        let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        switch self.state {
        case .outside:
            if byte == UInt8(ascii: "$") { self.beginSentence() }
            if byte == UInt8(ascii: "#"), self.isLineStart { self.state = .comment }
        case .comment:
            if isLineEnd { self.state = .outside }
        case .sentence(let start):
            if isLineEnd {
                self.state = .outside
                self.endSentence(start, &events)
            } else if byte == UInt8(ascii: "$") {
                events.append(.malformed(NMEAError(rule: .noChecksum, offset: start)))
                self.beginSentence()
            } else if self.body.count == Self.sentenceBytesMax {
                self.state = .outside
                events.append(.malformed(NMEAError(rule: .tooLong(limit: Self.sentenceBytesMax), offset: start)))
            } else {
                self.body.append(byte)
            }
        }
    }

    private mutating func beginSentence() {
        self.body.removeAll(keepingCapacity: true)
        self.state = .sentence(offset: self.offset)
    }

    private mutating func endSentence(_ start: Int, _ events: inout [Event]) {
        do {
            guard let sentence = try NMEASentence(self.body) else { return }
            if sentence.kind.isHeading {
                if let heading = try sentence.heading() { events.append(.measured(.heading(heading))) }
                return
            }
            if try self.epoch.isEnded(by: sentence) {
                self.learn()
                if let event = self.endEpoch() { events.append(event) }
            }
            try self.epoch.add(sentence)
            self.cycle?.latest = sentence.kind
            if self.epoch.isDecided, self.cycle?.isEnd(sentence.kind) == true, let event = self.endEpoch() {
                events.append(event)
                self.cycle?.latest = nil
            }
        } catch {
            events.append(.malformed(NMEAError(rule: error, offset: start)))
        }
    }

    /// Records how the epoch that is under way ended by itself.
    private mutating func learn() {
        guard let latest = self.cycle?.latest else { return }
        let count = self.cycle?.last?.kind == latest ? (self.cycle?.last?.count ?? 0) + 1 : 1
        self.cycle?.last = (latest, count)
        self.cycle?.latest = nil
    }

    /// Begins a new epoch; the event of the old one is nil when no sentence of it said anything about a position.
    private mutating func endEpoch() -> Event? {
        let ended = self.epoch
        self.epoch = NMEAEpoch()
        let time = self.time(of: ended)
        // A sentence after its epoch's supposed end begins no new epoch: the same fix would be told twice.
        guard ended.isDecided, self.cycle?.ended == nil || self.cycle?.ended != ended.timeOfDay else { return nil }
        self.cycle?.ended = ended.timeOfDay
        return ended.fix(time: time).map { .measured(.fix($0)) } ?? .noFix
    }

    /// The UNIX seconds of an epoch; an epoch without a date has that of the last one, or the next day after midnight.
    private mutating func time(of epoch: NMEAEpoch) -> Double? {
        guard let timeOfDay = epoch.timeOfDay else { return nil }
        var date = epoch.date
        if date == nil, let last = self.dated {
            let halfDay = 43_200_000
            date = timeOfDay + halfDay < last.timeOfDay ? last.date + 1 : last.date
        }
        guard let date else { return nil }
        self.dated = (date, timeOfDay)
        return Double(date) * 86_400 + Double(timeOfDay) / 1000
    }
}
