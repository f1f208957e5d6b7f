internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for beacon scanners at a real socket.
@Suite(.offPool) struct BeaconFeedTests {
    /// A report of a feed.
    private enum Event: Sendable {
        case report(SensorReport)
        case health(BeaconFeedHealth)
    }

    private static let group = MultiThreadedEventLoopGroup.singleton
    private static let python = "/usr/bin/python3"
    private static let hasPython = FileManager.default.isExecutableFile(atPath: Self.python)
    private static let beacon = Beacon(
        uuid: Beacon.OwnerID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0),
        major: 1,
        minor: 2
    )
    private static let line =
        "{\"uuid\":\"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0\",\"major\":1,\"minor\":2,\"rssi\":-65,\"measuredPower\":-59}\n"
    private static let received = SensorReport.scanned(Advertisement(beacon: beacon, rssi: -65, measuredPower: -59))

    private static func feed(at path: String) -> (BeaconFeed, AsyncStream<Event>) {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let feed = BeaconFeed(path: path, group: Self.group) {
            continuation.yield(.report($0))
        } health: {
            continuation.yield(.health($0))
        }
        return (feed, events)
    }

    /// Connects when the socket exists; checks that only its owner may connect.
    private static func connect(to path: String) async throws -> any Channel {
        let isThere = Waiting.until(within: 30) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return attributes?[.posixPermissions] as? Int == 0o600
        }
        try #require(isThere)
        return try await ClientBootstrap(group: Self.group).connect(unixDomainSocketPath: path).get()
    }

    /// The reports until one satisfies a condition.
    private static func reports(_ events: AsyncStream<Event>, until last: SensorReport) async -> [SensorReport] {
        var reports: [SensorReport] = []
        for await case .report(let report) in events {
            reports.append(report)
            if report == last { break }
        }
        return reports
    }

    /// Goal: reports are read from the scanner's connection to its end, and the connection is closed when no app needs
    /// it.
    @Test(.timeLimit(.minutes(1))) func aScannerIsHeardWhileItIsNeeded() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/beacons.sock"
        let (feed, events) = Self.feed(at: path)
        feed.start()
        let scanner = try await Self.connect(to: path)
        try await scanner.writeAndFlush(ByteBuffer(string: "nonsense\n{\"listening\":true}\n" + Self.line))
        let first = await Self.reports(events, until: Self.received)
        #expect(first == [.ready(.scanner), .scanned(nil), Self.received])
        try await scanner.writeAndFlush(ByteBuffer(string: "{\"listening\":false}\n"))
        #expect(await Self.reports(events, until: .lost(.scanner)) == [.lost(.scanner)])
        try await scanner.writeAndFlush(ByteBuffer(string: Self.line))
        #expect(await Self.reports(events, until: Self.received) == [.ready(.scanner), Self.received])
        try await scanner.close()
        #expect(await Self.reports(events, until: .lost(.scanner)) == [.lost(.scanner)])
        let again = try await Self.connect(to: path)
        #expect(await Self.reports(events, until: .ready(.scanner)) == [.ready(.scanner)])
        feed.stop()
        try await again.closeFuture.get()
        for await case .health(let health) in events where health.socket == .closed {
            #expect(health.advertisements == 2 && health.dropped == 1 && health.scanners == 0)
            #expect(health.fault == "byte 0: a line is not a JSON object of a scanner (docs/beacons.md)")
            break
        }
    }

    @Test(.timeLimit(.minutes(1))) func oneScannerTooManyIsTurnedAway() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/beacons.sock"
        let (feed, events) = Self.feed(at: path)
        feed.start()
        var scanners: [any Channel] = []
        for _ in 0..<BeaconFeed.scannersMax {
            scanners.append(try await Self.connect(to: path))
            #expect(await Self.reports(events, until: .ready(.scanner)) == [.ready(.scanner)])
        }
        try await Self.connect(to: path).closeFuture.get()
        try await scanners[0].close()
        // If the feed accepts the new connection before it sees the end of the other one, it closes the new one.
        let next = Task {
            while !Task.isCancelled {
                let scanner = try await Self.connect(to: path)
                try? await scanner.writeAndFlush(ByteBuffer(string: Self.line))
                try? await scanner.closeFuture.get()
            }
        }
        #expect(await Self.reports(events, until: Self.received) == [.ready(.scanner), Self.received])
        next.cancel()
        feed.stop()
    }

    @Test(.timeLimit(.minutes(1))) func aSocketThatCannotBeIsSaid() async throws {
        let (feed, events) = Self.feed(at: "/nowhere/at/all.sock")
        feed.start()
        #expect(await Self.reports(events, until: .lost(.scanner)) == [.lost(.scanner)])
        for await case .health(let health) in events {
            #expect(health.words.hasPrefix("cannot listen at /nowhere/at/all.sock of --beacon-feed"))
            break
        }
        feed.stop()
    }

    /// Goal: the guide's program is accepted unchanged.
    @Test(.timeLimit(.minutes(1)), .enabled(if: Self.hasPython, "skipped: there is no python3 to run the example"))
    func theExampleIsRead() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/beacons.sock"
        let (feed, events) = Self.feed(at: path)
        feed.start()
        let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/BeaconScanner/beacon_scanner.py")
        let program = try Child("scanner", Self.python, [example.path, path], log: scratch.path + "/scanner.log")
        #expect(await Self.reports(events, until: Self.received).last == Self.received)
        program.terminate()
        feed.stop()
    }

    /// Goal: an app that ranges opens the feed and receives the scanner's beacons, and `locationctl` shows both.
    @Test(.timeLimit(.minutes(1))) func theDaemonListensWhileAnAppRanges() async throws {
        let rig = try await DaemonRig(hearsBeacons: true)
        try rig.install()
        let reply = try rig.ask(
            .with {
                $0.settings = .with {
                    $0.bundle = DaemonRig.bundle.rawValue
                    $0.location = .whileUsing
                }
            }
        )
        #expect(reply.failure.message == "")
        let app = try await rig.connectApp()
        #expect(try rig.status.beaconFeed.state == "off")
        try rig.declare(
            .with {
                $0.streams = [
                    .with {
                        $0.id = 3
                        $0.ranging = .with {
                            $0.uuidHigh = Self.beacon.uuid.high
                            $0.uuidLow = Self.beacon.uuid.low
                        }
                    }
                ]
            },
            on: app
        )
        let scanner = try await Self.connect(to: rig.beaconFeed)
        try await scanner.writeAndFlush(ByteBuffer(string: "nonsense\n" + Self.line))
        var (state, ranged): (WireState?, [WireRangedBeacon]) = (nil, [])
        while ranged.isEmpty {
            let message = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: app))
            if case .state(let news) = message.body { state = news }
            if case .update(let update) = message.body { ranged = update.beacons.beacons }
        }
        #expect(state?.scannerPresent == true)
        #expect(ranged.first?.beacon.minor == 2 && ranged.first?.accuracy == 1995 && ranged.first?.proximity == .near)
        let status = try rig.status.beaconFeed
        #expect(status.state == "listening" && status.scanners == 1 && status.path == rig.beaconFeed)
        await rig.daemon.stop()
        #expect(try await DaemonRig().status.hasBeaconFeed == false)
    }
}
