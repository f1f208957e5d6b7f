internal import CoreLocation
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The protocol between a device and an app in a separate process, one packet for each message.
///
/// ```
///   device                        app
///     event* , run(now)  ───────▶   runs its jobs up to now
///                        ◀───────   message* , idle(next)
///   and within that, when the app's first call of Core Location connects:
///                        ◀───────   connect
///     event* , go        ───────▶
/// ```
enum LockStep {
    /// A message of the device.
    enum Order {
        /// Something happens to the app's connection.
        case event(TransportEvent)
        /// Run all jobs up to this time, in nanoseconds since the device's start.
        case run(now: Int64)
        /// The answer to a connection is complete.
        case go
        /// The device's clocks have this setting.
        case clock(VirtualClock.Setting)
        /// The device is in this time zone.
        case zone(String)
    }

    /// A message of the app.
    enum Report {
        /// The app's client connects.
        case connect
        /// The app's client sends a message to the location service.
        case message(WireClientMessage)
        /// The app or the test has a problem; the device puts the app's name in front.
        case problem(String)
        /// The app wrote a line to standard output or standard error.
        case wrote(String)
        /// The app's code calls something that cannot work here; the line of the code, in brackets.
        case misuse(Misuse, at: String)
        /// All tasks of the app wait; the next one wakes at this time; `Int64.max`: no task will wake.
        case idle(next: Int64)
    }

    /// The environment variable that makes a test's binary run one program: the device's clocks, and the program's type.
    static let variable = "WHEREABOUTS_VIRTUAL_PROGRAM"
    /// The descriptor of the app's end.
    static let descriptor: Int32 = 3

    fileprivate static func packet(_ tag: UInt8, _ number: Int64) -> [UInt8] {
        [tag] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    fileprivate static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension LockStep.Order {
    /// The packet; throws when the message cannot be encoded.
    func packet() throws -> [UInt8] {
        switch self {
        case .event(.connected): [0]
        case .event(.disconnected): [1]
        case .event(.message(let message)): [2] + (try WireMessage.encode(message))
        case .run(let now): LockStep.packet(3, now)
        case .go: [4]
        case .clock(let clock): LockStep.packet(5, clock.epoch) + LockStep.packet(5, clock.boot)
        case .zone(let identifier): [6] + Array(identifier.utf8)
        }
    }

    init?(_ packet: [UInt8]) {
        switch packet.first {
        case 0: self = .event(.connected)
        case 1: self = .event(.disconnected)
        case 2:
            guard let message = try? WireMessage.decode(WireDaemonMessage.self, from: Array(packet.dropFirst()))
            else { return nil }
            self = .event(.message(message))
        case 3 where packet.count == 9: self = .run(now: LockStep.number(packet.dropFirst()))
        case 4: self = .go
        case 5 where packet.count == 18:
            let boot = LockStep.number(packet.suffix(8))
            self = .clock(VirtualClock.Setting(epoch: LockStep.number(packet[1..<9]), boot: boot))
        case 6: self = .zone(String(decoding: packet.dropFirst(), as: UTF8.self))
        default: return nil
        }
    }
}

extension LockStep.Report {
    /// The packet; throws when the message cannot be encoded.
    func packet() throws -> [UInt8] {
        switch self {
        case .connect: [0]
        case .message(let message): [1] + (try WireMessage.encode(message))
        case .problem(let text): [2] + Array(text.utf8)
        case .wrote(let line): [4] + Array(line.utf8)
        case .misuse(let misuse, let line): [5, UInt8(misuse.rawValue)] + Array(line.utf8)
        case .idle(let next): LockStep.packet(3, next)
        }
    }

    init?(_ packet: [UInt8]) {
        switch packet.first {
        case 0: self = .connect
        case 1:
            guard let message = try? WireMessage.decode(WireClientMessage.self, from: Array(packet.dropFirst()))
            else { return nil }
            self = .message(message)
        case 2: self = .problem(String(decoding: packet.dropFirst(), as: UTF8.self))
        case 3 where packet.count == 9: self = .idle(next: LockStep.number(packet.dropFirst()))
        case 4: self = .wrote(String(decoding: packet.dropFirst(), as: UTF8.self))
        case 5 where packet.count > 1:
            guard let misuse = Misuse(rawValue: Int32(packet[1])) else { return nil }
            self = .misuse(misuse, at: String(decoding: packet.dropFirst(2), as: UTF8.self))
        default: return nil
        }
    }
}
