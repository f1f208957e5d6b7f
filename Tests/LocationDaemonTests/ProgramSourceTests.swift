internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Rig
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources

@testable internal import WhereaboutsLocationDaemon

/// Tests for external programs that report positions at a socket.
@Suite(.offPool) struct ProgramSourceTests {
    private static let group = MultiThreadedEventLoopGroup.singleton
    private static let python = "/usr/bin/python3"
    private static let hasPython = FileManager.default.isExecutableFile(atPath: Self.python)

    /// A source at a path, and the positions that come from it.
    private static func source(at path: String) -> (ReceiverSource, AsyncStream<Fix>) {
        let (fixes, continuation) = AsyncStream.makeStream(of: Fix.self)
        let source = ReceiverSource(.program(path: path), number: 3, group: self.group) { event in
            if case .measured(.fix(let fix)) = event { continuation.yield(fix) }
        }
        return (source, fixes)
    }

    /// Connects when the socket exists; checks that only its owner may connect.
    private static func connect(to path: String) async throws -> any Channel {
        let isThere = Waiting.until(within: 30) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return attributes?[.posixPermissions] as? Int == 0o600
        }
        try #require(isThere)
        return try await ClientBootstrap(group: self.group).connect(unixDomainSocketPath: path).get()
    }

    /// Goal: positions that a program measured are filtered, and estimated ones are not.
    ///
    /// Only the owner may connect.
    @Test(.timeLimit(.minutes(1))) func aProgramTellsPositions() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/bus.sock"
        let (source, fixes) = Self.source(at: path)
        source.start()
        let program = try await Self.connect(to: path)
        let lines = """
            this is no line of a source
            {"fix":{"latitude":48,"longitude":11,"accuracy":5}}
            {"fix":{"latitude":49,"longitude":12,"accuracy":40,"isEstimate":true}}

            """
        try await program.writeAndFlush(ByteBuffer(string: lines))
        var received: [Fix] = []
        for await fix in fixes {
            received.append(fix)
            if received.count == 2 { break }
        }
        #expect(received.map(\.latitude) == [480_000_000, 490_000_000])
        #expect(received.map(\.receiver) == [3, nil])
        #expect(received.allSatisfy { !$0.isSimulated })
        source.stop()
        try await program.closeFuture.get()
    }

    /// Goal: the guide's program is accepted unchanged.
    @Test(.timeLimit(.minutes(1)), .enabled(if: Self.hasPython, "skipped: there is no python3 to run the example"))
    func theExampleIsRead() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/vehicle.sock"
        let (source, fixes) = Self.source(at: path)
        source.start()
        let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/VehicleBus/vehicle_bus.py")
        let program = try Child("vehicle bus", Self.python, [example.path, path], log: scratch.path + "/bus.log")
        for await fix in fixes {
            #expect(fix.speed == 8000 && fix.horizontalAccuracy == 3000)
            break
        }
        program.terminate()
        source.stop()
    }
}
