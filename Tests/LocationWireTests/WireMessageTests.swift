internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationWire

@Suite struct WireMessageTests {
    static let messages: [WireDaemonMessage] = [
        .with { $0.state = .with { $0.authorization = .always } },
        .with {
            $0.update = .with {
                $0.stream = .max
                $0.fix = .with {
                    $0.latitude = -899_999_999
                    $0.longitude = 1_799_999_999
                    $0.altitude = -430_000
                    $0.time = .max
                }
            }
        },
        .with { $0.update = .with { $0.diagnostics = 0xFFFF } },
        .with { $0.push = .with { $0.payload = .init(repeating: 0xFF, count: 4096) } },
        .with { $0.finish = .init() },
    ]

    @Test(arguments: Self.messages.indices) func whatIsEncodedIsDecoded(_ index: Int) throws {
        let message = Self.messages[index]
        let packet = try WireMessage.encode(message)
        #expect(try WireMessage.decode(WireDaemonMessage.self, from: packet) == message)
    }

    @Test func bytesThatAreNoMessageAreAnError() {
        #expect(throws: WireError.self) {
            try WireMessage.decode(WireDaemonMessage.self, from: [0x0A, 0xFF, 0x01])
        }
    }
}
