public import WhereaboutsVocabulary

/// One connection to a receiver: bytes in; measurements and the receiver's condition out.
public struct ReceiverReader: Sendable {
    /// The protocol of the other side.
    public enum Language: Sendable, Hashable {
        /// gpsd's JSON protocol.
        case gpsd
        /// NMEA 0183.
        case nmea
        /// The lines of a program that reports positions (`docs/sources.md`).
        case program
    }

    /// An event for the users of positions.
    public enum Event: Sendable, Hashable {
        /// The receiver can be reached and searches.
        case ready
        case measured(SourceMeasurement)
        /// There is no receiver, for the given reason.
        case lost(String)
    }

    private var gpsd: GPSDDecoder?
    private var nmea: NMEADecoder?
    private var program: ProgramDecoder?
    private var isFirstLineOver = false
    /// The known facts of the receiver.
    public private(set) var health: ReceiverHealth

    /// Creates a reader of a new connection.
    ///
    /// - Parameters:
    ///   - language: the language of the other side.
    ///   - now: when the connection was made.
    public init(_ language: Language, now: EngineInstant) {
        switch language {
        case .gpsd: self.gpsd = GPSDDecoder()
        case .nmea: self.nmea = NMEADecoder(learnsCycle: true)
        case .program: self.program = ProgramDecoder()
        }
        self.health = ReceiverHealth()
        self.health.opened(now: now)
    }

    /// The silence after which to call ``flush(now:)``; nil: never.
    public var quiet: Duration? { self.nmea?.quiet }

    /// Reads the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: what arrived.
    ///   - now: when.
    /// - Returns: the events in the bytes, in order.
    public mutating func feed(_ bytes: some Sequence<UInt8>, now: EngineInstant) -> [Event] {
        let before = self.understood
        let events =
            (self.gpsd?.feed(bytes)).map { $0.compactMap { self.event($0, now) } }
            ?? (self.nmea?.feed(bytes)).map { $0.compactMap { self.event($0, now) } }
            ?? (self.program?.feed(bytes, now: now)).map { $0.compactMap { self.event($0, now) } } ?? []
        self.health.bytesCame(areUnderstood: self.understood > before, now: now)
        self.health.driver = (self.gpsd?.driver ?? self.program?.name).map {
            PlainText.of($0, bytesMax: Self.nameBytesMax)
        }
        self.health.device = self.gpsd?.device.map { PlainText.of($0, bytesMax: Self.nameBytesMax) }
        self.health.sky = self.gpsd?.sky ?? self.nmea?.sky ?? SkyView()
        return events
    }

    /// Reports the measurements so far, because the line is silent.
    public mutating func flush(now: EngineInstant) -> [Event] {
        self.nmea?.flush().compactMap { self.event($0, now) } ?? []
    }

    /// The longest name of a receiver or its driver that is shown, in bytes.
    private static let nameBytesMax = 100

    private var understood: Int { self.gpsd?.reportCount ?? self.nmea?.sentenceCount ?? self.program?.lineCount ?? 0 }

    private mutating func event(_ event: GPSDDecoder.Event, _ now: EngineInstant) -> Event? {
        switch event {
        case .ready: return .ready
        case .measured(let measurement): return self.measured(measurement, now)
        case .devices(let paths):
            self.health.receiverChanged(isThere: !paths.isEmpty)
            return paths.isEmpty ? .lost("gpsd has no receiver") : nil
        case .deviceLost:
            guard self.gpsd?.hasReceiver == false else { return nil }
            self.health.receiverChanged(isThere: false)
            return .lost("gpsd lost its receiver")
        case .deviceFound:
            self.health.receiverChanged(isThere: true)
            return .ready
        case .failed(let message):
            self.health.faultFound("gpsd reports: \(message)")
            return nil
        case .malformed(let error):
            self.health.faultFound("\(error)")
            return nil
        // There is no fix yet; the engine decides how long to wait.
        case .watching, .noFix: return nil
        }
    }

    private mutating func event(_ event: NMEADecoder.Event, _ now: EngineInstant) -> Event? {
        switch event {
        case .measured(let measurement): return self.measured(measurement, now)
        case .malformed(let error):
            // A line may be opened in the middle of a sentence, so the first fault does not count.
            if self.understood > 0 || self.isFirstLineOver { self.health.faultFound("\(error)") }
            self.isFirstLineOver = true
            return nil
        case .noFix: return nil
        }
    }

    private mutating func event(_ event: ProgramDecoder.Event, _ now: EngineInstant) -> Event? {
        switch event {
        case .measured(let measurement): return self.measured(measurement, now)
        case .searching: return .ready
        case .lost: return .lost("the program has no position")
        case .malformed(let error):
            self.health.faultFound("\(error)")
            return nil
        }
    }

    private mutating func measured(_ measurement: SourceMeasurement, _ now: EngineInstant) -> Event {
        if case .fix = measurement { self.health.fixCame(now: now) }
        return .measured(measurement)
    }
}
