internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Draws choices from a fuzzer's input, with one or a few bytes for each.
///
/// After the last byte, the first choice is drawn.
///
/// A changed byte therefore changes the choices at one place, and the rest of the story stays.
struct Draw {
    /// The minimum and maximum of integer types, and their neighbours.
    private static let ends: [UInt64] = [
        0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFE,
        0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0x8000_0000_0000_0001, .max - 1, .max,
    ]

    private var bytes: ArraySlice<UInt8>
    /// The extension that was started last, and the last prompt.
    ///
    /// A random number would almost never match them.
    var extensionProcess = (bundle: BundleID(""), launch: LaunchID(1))
    var prompt = PromptID(1)
    /// The number of connections so far; a shell never uses a number again.
    private var connections: UInt64 = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    /// Whether all bytes are used up.
    var isOver: Bool { self.bytes.isEmpty }

    /// A new connection.
    mutating func newClient() -> ClientID {
        self.connections += 1
        return ClientID(self.connections)
    }

    /// Usually one of the newest connections.
    mutating func client() -> ClientID {
        ClientID(self.rarely(4) ? self.number() : self.connections - UInt64(self.byte() % 4) % self.connections)
    }

    mutating func byte() -> UInt8 { self.bytes.popFirst() ?? 0 }

    mutating func bool() -> Bool { self.byte() & 1 == 1 }

    /// True for about one byte in that many.
    mutating func rarely(_ one: UInt8 = 16) -> Bool { self.byte() % one == one - 1 }

    mutating func one<Value>(of values: [Value]) -> Value { values[Int(self.byte()) % values.count] }

    mutating func maybe<Value>(_ draw: (inout Draw) -> Value) -> Value? { self.bool() ? draw(&self) : nil }

    mutating func some<Value>(_ most: Int, _ draw: (inout Draw) -> Value) -> [Value] {
        (0..<Int(self.byte()) % (most + 1)).map { _ in draw(&self) }
    }

    /// A number: usually small, as IDs and counts are; otherwise an extreme value, or any.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        let choice = self.byte()
        switch choice {
        case 0..<160: return Number(truncatingIfNeeded: choice % 8)
        case 160..<224: return Number(truncatingIfNeeded: self.one(of: Self.ends))
        default:
            return Number(truncatingIfNeeded: (0..<8).reduce(0 as UInt64) { all, _ in all << 8 | UInt64(self.byte()) })
        }
    }

    /// A text: usually a known one; otherwise a long one, an empty one, or one with many combining marks.
    mutating func text(_ known: [String]) -> String {
        switch self.byte() {
        case 0..<200: self.one(of: known)
        case 200..<220: ""
        case 220..<240: String(repeating: "a", count: Int(self.number(UInt16.self)))
        default: "e" + String(repeating: "\u{301}", count: Int(self.byte()) * 16)
        }
    }

    /// A period: none, a moment, up to the maximum of a clock in nanoseconds.
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

    /// Any duration that fits into 64 bits of some unit, also negative.
    mutating func duration() -> Duration {
        self.bool() ? .seconds(self.number(Int64.self)) : .milliseconds(self.number(Int64.self))
    }
}

/// The clocks of a fuzzed device: one runs steadily, the other is set at random.
struct DrawnClocks {
    /// The maximum of a 64-bit clock in nanoseconds.
    private static let last = Duration.nanoseconds(Int64.max)

    private(set) var now = Now(monotonic: .init(sinceStart: .zero), wall: .init(seconds: 1_800_000_000))

    mutating func pass(_ draw: inout Draw) {
        let pause = draw.pause()
        self.now.monotonic = EngineInstant(sinceStart: min(self.now.monotonic.sinceStart + pause, Self.last))
        self.now.wall = draw.rarely() ? WallTime(microseconds: draw.number()) : self.now.wall.advanced(by: pause)
    }
}
