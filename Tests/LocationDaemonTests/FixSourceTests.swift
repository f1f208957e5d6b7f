internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Testing
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsTestKit

@testable internal import WhereaboutsLocationDaemon

/// Goal: our sources obey the rules for every source.
@Suite struct FixSourceTests {
    enum Kind: CaseIterable {
        case gpsd, gpsdSocket, nmea, fixed, replay
    }

    @Test(.timeLimit(.minutes(1)), arguments: Kind.allCases, FixSourceRule.allCases)
    func everySourceKeepsTheRules(_ kind: Kind, _ rule: FixSourceRule) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        switch kind {
        case .gpsd, .nmea:
            let receiver = try await FakeReceiver(kind == .gpsd ? .gpsd : .nmea, on: group)
            try await rule.check { report in
                let way: ReceiverWay =
                    kind == .gpsd
                    ? .gpsd(host: "127.0.0.1", port: receiver.port)
                    : .nmea(.tcp(host: "127.0.0.1", port: receiver.port))
                return ReceiverSource(way, group: group, events: report)
            }
            try await receiver.stop()
        case .gpsdSocket:
            let scratch = try Scratch()
            let path = scratch.path + "/gpsd.sock"
            let receiver = try await FakeReceiver(.gpsd, at: path, on: group)
            try await rule.check { report in
                ReceiverSource(.gpsdSocket(path: path), group: group, events: report)
            }
            try await receiver.stop()
        case .fixed:
            let position = try #require(FixedPosition("53.5451,9.9672"))
            try await rule.check { report in FixedSource(position, number: 0, group: group, events: report) }
        case .replay:
            var track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: 1_779_008_400)
            track.rate = 20
            track.duration = 60
            let scratch = try Scratch()
            let path = scratch.path + "/walk.nmea"
            try Data(track.log().utf8).write(to: URL(filePath: path))
            try await rule.check { report in try ReplaySource(path: path, group: group, events: report) }
        }
    }
}

/// A receiver on the loopback interface that sends a position twenty times a second.
private final class FakeReceiver: Sendable {
    private let channel: any Channel

    /// Listens at a port or a path.
    init(_ language: ReceiverReader.Language, at path: String? = nil, on group: any EventLoopGroup) async throws {
        let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Handler(language))
            }
        }
        self.channel =
            if let path {
                try await bootstrap.bind(unixDomainSocketPath: path).get()
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
    }

    var port: Int { self.channel.localAddress?.port ?? 0 }

    func stop() async throws { try await self.channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let language: ReceiverReader.Language
        private var epochs = 0
        private var telling: RepeatedTask?

        init(_ language: ReceiverReader.Language) {
            self.language = language
        }

        func channelActive(context: ChannelHandlerContext) {
            if self.language == .gpsd {
                let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
                context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: greeting + "\r\n")), promise: nil)
            }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            self.telling = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(50)) { _ in
                bound.value.0.tell(bound.value.1)
            }
        }

        func channelInactive(context: ChannelHandlerContext) { self.telling?.cancel() }

        private func tell(_ context: ChannelHandlerContext) {
            self.epochs += 1
            let text: String
            switch self.language {
            case .gpsd: text = #"{"class":"TPV","mode":3,"lat":53.5458,"lon":9.9663,"altMSL":6.0,"eph":17.1}"# + "\r\n"
            case .program: text = "{\"fix\":{\"latitude\":53.5458,\"longitude\":9.9663,\"accuracy\":5}}\n"
            case .nmea:
                let time = String(
                    format: "09%02d%02d.%02d",
                    self.epochs / 1200,
                    self.epochs / 20 % 60,
                    self.epochs % 20 * 5
                )
                let body = "GPRMC,\(time),A,5332.75150,N,00957.98000,E,2.70,95.97,170526,,,A"
                text = "$\(body)*\(String(format: "%02X", body.utf8.reduce(0, ^)))\r\n"
            }
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}
