internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Choices drawn from a fuzzer's input, one byte or a few for each; bytes that are gone choose the first.
///
/// So the wounds of an input are other choices at one place, and the rest of the story stays as it was.
struct Draw {
    /// The ends of what integers hold, and their neighbours.
    private static let ends: [UInt64] = [
        0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFE,
        0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0x8000_0000_0000_0001, .max - 1, .max,
    ]

    private var bytes: ArraySlice<UInt8>
    /// The extension that was started last, and the question put last: a number among all numbers would never meet them.
    var extensionProcess = (bundle: BundleID(""), launch: LaunchID(1))
    var prompt = PromptID(1)
    /// The number of connections that were made; a shell never uses the number of one again.
    private var connections: UInt64 = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// Whether all bytes are used up.
    var isOver: Bool { self.bytes.isEmpty }

    /// A connection that was not there before.
    mutating func newClient() -> ClientID {
        self.connections += 1
        return ClientID(self.connections)
    }

    /// Mostly one of the newest connections.
    mutating func client() -> ClientID {
        ClientID(self.rarely(4) ? self.number() : self.connections - UInt64(self.byte() % 4) % self.connections)
    }

    mutating func byte() -> UInt8 { self.bytes.popFirst() ?? 0 }

    mutating func bool() -> Bool { self.byte() & 1 == 1 }

    /// True for one byte in that many.
    mutating func rarely(_ one: UInt8 = 16) -> Bool { self.byte() % one == one - 1 }

    mutating func one<Value>(of values: [Value]) -> Value { values[Int(self.byte()) % values.count] }

    mutating func maybe<Value>(_ draw: (inout Draw) -> Value) -> Value? { self.bool() ? draw(&self) : nil }

    mutating func some<Value>(_ most: Int, _ draw: (inout Draw) -> Value) -> [Value] {
        (0..<Int(self.byte()) % (most + 1)).map { _ in draw(&self) }
    }

    /// A number: mostly a small one, as ids and counts are; otherwise an end, or any.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        let choice = self.byte()
        switch choice {
        case 0..<160: return Number(truncatingIfNeeded: choice % 8)
        case 160..<224: return Number(truncatingIfNeeded: self.one(of: Self.ends))
        default:
            return Number(truncatingIfNeeded: (0..<8).reduce(0 as UInt64) { all, _ in all << 8 | UInt64(self.byte()) })
        }
    }

    /// A text: mostly one that is known, otherwise a long one, an empty one, or one of marks without end.
    mutating func text(_ known: [String]) -> String {
        switch self.byte() {
        case 0..<200: self.one(of: known)
        case 200..<220: ""
        case 220..<240: String(repeating: "a", count: Int(self.number(UInt16.self)))
        default: "e" + String(repeating: "\u{301}", count: Int(self.byte()) * 16)
        }
    }

    /// A time that passes: none, a moment, up to what a clock in nanoseconds holds.
    mutating func pause() -> Duration {
        switch self.byte() {
        case 0..<120: .zero
        case 120..<180: .milliseconds(Int(self.byte()))
        case 180..<230: .seconds(Int(self.byte()))
        case 230..<250: .seconds(Int(self.byte()) * 600)
        case 250..<254: .seconds(400 * 86_400)
        default: .seconds(1 << 32)
        }
    }

    /// Any duration that Swift can say in 64 bits of some unit, negative ones too.
    mutating func duration() -> Duration {
        self.bool() ? .seconds(self.number(Int64.self)) : .milliseconds(self.number(Int64.self))
    }
}

/// The clocks of a fuzzed device: one goes on, the other is set at will.
struct DrawnClocks {
    /// As far as a clock of 64 bits in nanoseconds goes.
    private static let last = Duration.nanoseconds(Int64.max)

    private(set) var now = Now(monotonic: .init(sinceStart: .zero), wall: .init(seconds: 1_800_000_000))

    mutating func pass(_ draw: inout Draw) {
        let pause = draw.pause()
        self.now.monotonic = EngineInstant(sinceStart: min(self.now.monotonic.sinceStart + pause, Self.last))
        self.now.wall = draw.rarely() ? WallTime(microseconds: draw.number()) : self.now.wall.advanced(by: pause)
    }
}
