internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for connections to a receiver, with the kernel's serial lines and sockets.
@Suite struct ReceiverSourceTests {
    @Test(.timeLimit(.minutes(1)), arguments: [FakeLine.Kind.serial, .udp, .listener], FixSourceRule.allCases)
    func everyWayKeepsTheRules(_ kind: FakeLine.Kind, _ rule: FixSourceRule) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let lines = Mutex<[FakeLine]>([])
        try await rule.check { report in
            let line = try await FakeLine(kind, on: group.next())
            lines.withLock { $0.append(line) }
            let address = try #require(ReceiverAddress(line.address))
            return ReceiverSource(.nmea(address), group: group, events: report)
        }
        for line in lines.withLock({ $0 }) { line.stop() }
    }

    /// Goal: the speed of a line is found by trying, and stays once it is found.
    ///
    /// Method: the line delivers noise unless its speed is 4,800 bits a second.
    @Test(.timeLimit(.minutes(1))) func theSpeedOfALineIsFound() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let terminal = try FakeLine.Terminal()
        let (fixes, continuation) = AsyncStream.makeStream(of: Void.self)
        let source = ReceiverSource(.nmea(.device(path: terminal.path)), group: group) { event in
            if case .measured = event { continuation.yield() }
        }
        source.start()
        let epochs = FakeLine.Epochs()
        let task = group.next().scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(50)) { _ in
            terminal.write(terminal.speed == speed_t(B4800) ? epochs.next() : "\u{1}~~\u{2}\r\n")
        }
        var count = 0
        for await _ in fixes {
            count += 1
            if count == 5 { break }
        }
        #expect(terminal.speed == speed_t(B4800))
        task.cancel()
        source.stop()
    }

    /// Goal: a line that another program reads is refused, since each would get half of the sentences.
    ///
    /// So is a regular file.
    @Test func aLineIsReadByOne() throws {
        let terminal = try FakeLine.Terminal()
        let line = try SerialLine(path: terminal.path, speed: 9600)
        let error = #expect(throws: DaemonError.self) { try SerialLine(path: terminal.path, speed: 9600) }
        #expect(error?.description.contains("is read by another program") == true)
        close(line.descriptor)
        let again = try SerialLine(path: terminal.path, speed: 4800)
        #expect(terminal.speed == speed_t(B4800))
        close(again.descriptor)
        #expect(throws: DaemonError.self) { try SerialLine(path: #filePath, speed: 9600) }
        #expect(throws: DaemonError.self) { try SerialLine(path: "/dev/there-is-no-such-line", speed: 9600) }
    }

    /// Goal: a descriptor that cannot be polled causes an error message.
    ///
    /// In the network thread, it would end the process.
    @Test(arguments: ["/dev/null", "/dev/zero", "/dev/full", "/tmp", #filePath])
    func nothingElseIsALine(_ path: String) throws {
        let error = #expect(throws: DaemonError.self) { try SerialLine(path: path, speed: 9600) }
        #expect(error?.description.hasPrefix(path) == true)
        // As standard input is checked.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(throws: DaemonError.self) { try SerialLine.checkCanBeAwaited(descriptor, of: "the standard input") }
    }

    /// Goal: a pipe is accepted, and a closed descriptor is reported as closed.
    @Test func aPipeCanBeAwaited() throws {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        try SerialLine.checkCanBeAwaited(ends[0], of: "the standard input")
        for end in ends { close(end) }
        #expect(throws: DaemonError.self) { try SerialLine.checkCanBeAwaited(-1, of: "the standard input") }
    }

    /// Goal: a receiver that is unplugged and plugged in again is read again, and is reported as disconnected in
    /// between.
    @Test(.timeLimit(.minutes(1))) func aLineMayVanishAndComeBack() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let scratch = try Scratch()
        let path = scratch.path + "/receiver"
        let (conditions, continuation) = AsyncStream.makeStream(of: ReceiverHealth.Condition.self)
        let source = ReceiverSource(.nmea(.device(path: path)), group: group, events: { _ in }) { health in
            continuation.yield(health.condition(now: Clocks.now().monotonic).condition)
        }
        source.start()
        func awaited(_ isIt: (ReceiverHealth.Condition) -> Bool) async {
            for await condition in conditions where isIt(condition) { return }
        }
        func isGone(_ condition: ReceiverHealth.Condition) -> Bool {
            if case .unreachable = condition { true } else { false }
        }
        await awaited(isGone)
        for _ in 0..<2 {
            let line = try await FakeLine(.serial, on: group.next())
            #expect(unsafe symlink(line.address, path) == 0)
            await awaited { $0 == .delivering }
            #expect(unsafe unlink(path) == 0)
            line.stop()
            await awaited(isGone)
        }
        source.stop()
    }

    /// Goal: the error says whether another protocol answers on the port, or nothing does.
    @Test(.timeLimit(.minutes(1))) func theStateHasItsCause() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.writeAndFlush(ByteBuffer(string: "SSH-2.0-OpenSSH_9.2p1\r\n"), promise: nil)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let (conditions, continuation) = AsyncStream.makeStream(of: ReceiverHealth.Condition.self)
        let way = ReceiverWay.gpsd(host: "127.0.0.1", port: port)
        let source = ReceiverSource(way, group: group, events: { _ in }) { health in
            continuation.yield(health.condition(now: Clocks.now().monotonic).condition)
        }
        source.start()
        for await condition in conditions {
            guard case .unintelligible(let fault?) = condition else { continue }
            #expect(fault.contains("is the other side really gpsd?"))
            break
        }
        try await server.close()
        source.stop()
        for await condition in conditions where condition == .off { break }
    }
}
