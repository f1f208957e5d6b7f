internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Goal: floods and invalid data have a defined answer, and other apps are not affected.
@Suite(.offPool, .timeLimit(.minutes(1))) struct FloodTests {
    /// Whether a well-behaved app is served: its session gets an answer.
    private func isServed(_ rig: DaemonRig) async throws -> Bool {
        let client = try await rig.connectApp()
        try rig.want(on: client)
        while true {
            let packet = try DaemonRig.packet(from: client)
            let message = try WireMessage.decode(WireDaemonMessage.self, from: packet)
            if case .diagnostics = message.body { return true }
        }
    }

    @Test func aFloodOfStrangersIsTurnedAway() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let path = SocketPaths.apps(in: rig.runtime)
        var strangers: [PacketSocket] = []
        for _ in 0..<500 { strangers.append(try PacketSocket.connect(to: path)) }
        for stranger in strangers {
            let packet = try DaemonRig.packet(from: stranger)
            let message = try WireMessage.decode(WireDaemonMessage.self, from: packet)
            #expect(message.refusal.message.contains("is not an installed app"))
        }
        #expect(try await self.isServed(rig))
        await rig.daemon.stop()
    }

    @Test func aFloodOfDeclarationsKeepsNobodyWaiting() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let flooder = try await rig.connectApp()
        for number in 0..<5000 {
            try rig.declare(
                .with { $0.sessions = (0..<UInt64(100)).map { id in .with { $0.id = id } } },
                on: flooder
            )
            if number == 2500 { #expect(try await self.isServed(rig)) }
        }
        #expect(try await self.isServed(rig))
        await rig.daemon.stop()
    }

    @Test func whoCausesAnswersAndDoesNotReadThemIsCutOff() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let flooder = try await rig.connectApp()
        var isOpen = true
        for number in 0..<UInt64(1000) where isOpen {
            let message = WireClientMessage.with {
                $0.declaration.sessions = (0..<100).map { id in .with { $0.id = number * 100 + id } }
            }
            isOpen = try flooder.send(try WireMessage.encode(message)) == .sent
        }
        #expect(!isOpen)
        #expect(try await self.isServed(rig))
        await rig.daemon.stop()
    }

    @Test func whoDeclaresMoreThanItMayHoldIsCutOff() async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let client = try await rig.connectApp()
        func declare(_ count: Int) throws {
            try rig.declare(
                .with { $0.sessions = (0..<count).map { id in .with { $0.id = UInt64(id) } } },
                on: client
            )
        }
        try declare(Policy().declarationsMax)
        #expect(try Waiting.until(within: 20) { try rig.status.apps.first?.sessions.last == "and 240 more" })
        try declare(Policy().declarationsMax + 1)
        #expect(try Waiting.until(within: 20) { try rig.status.apps.first?.process == "not running" })
        let log = try rig.ask(.with { $0.log = .with { $0.last = 10 } }).log
        #expect(log.lines.contains { $0.event == "cut-off" })
        #expect(try await self.isServed(rig))
        await rig.daemon.stop()
    }

    enum Garbage: CaseIterable {
        case oneByte, aLengthThatLies, manyBytes

        var bytes: [UInt8] {
            switch self {
            case .oneByte: [0xFF]
            case .aLengthThatLies: [0x0A, 0xFF, 0xFF, 0xFF, 0xFF]
            case .manyBytes: Array(repeating: 0x9C, count: 100_000)
            }
        }
    }

    @Test(arguments: Garbage.allCases) func garbageFromAnAppEndsOnlyItsConnection(_ garbage: Garbage) async throws {
        let rig = try await DaemonRig()
        try rig.install()
        let bad = try await rig.connectApp()
        _ = try bad.send(garbage.bytes)
        let isClosed = try Waiting.until(within: 20) {
            if case .closed = try bad.receive() { true } else { false }
        }
        #expect(isClosed)
        #expect(try await self.isServed(rig))
        await rig.daemon.stop()
    }
}
