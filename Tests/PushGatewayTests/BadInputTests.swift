internal import FakeAPNS
internal import NIOCore
internal import NIOPosix
internal import Testing
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushGateway

/// Goal: each kind of abuse ends its connection, has a counter, and affects no other connection.
@Suite(.timeLimit(.minutes(3))) struct BadInputTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    /// A flood of frames, and the reason under which it is counted.
    enum Flood: String, CaseIterable {
        case resets, pings, settings, continuations, emptyData, windows, unknown

        var reason: String {
            switch self {
            case .resets: "resets"
            case .pings, .settings: "control_frames"
            case .continuations: "continuations"
            case .emptyData: "empty_data"
            case .windows, .unknown: "idle_frames"
            }
        }

        /// All frames are on streams that a client may open.
        var bytes: [UInt8] {
            let request = HeaderBlock.bytes([(":method", "POST"), (":scheme", "https"), (":path", "/3/device/00")])
            return switch self {
            case .resets:
                (0..<1000).flatMap { number in
                    let stream = UInt32(2 * number + 1)
                    return RawFrame(.headers, flags: RawFrame.endHeaders, stream: stream, request).bytes()
                        + RawFrame(.rstStream, stream: stream, RawFrame.bytes(of: 8)).bytes()
                }
            case .pings: (0..<5000).flatMap { RawFrame(.ping, RawFrame.bytes(of: 0) + RawFrame.bytes(of: $0)).bytes() }
            case .settings: (0..<5000).flatMap { _ in RawFrame(.settings, [0, 4, 0, 0, 0, 1]).bytes() }
            case .continuations:
                RawFrame(.headers, stream: 1, request).bytes()
                    + (0..<1000).flatMap { _ in
                        RawFrame(.continuation, stream: 1, HeaderBlock.bytes([("x", "y")])).bytes()
                    }
            case .windows:
                (0..<11_000).flatMap { _ in RawFrame(.windowUpdate, RawFrame.bytes(of: 1)).bytes() }
            case .unknown: (0..<11_000).flatMap { _ in [0, 0, 0, 0x77, 0, 0, 0, 0, 0] as [UInt8] }
            case .emptyData:
                RawFrame(.headers, flags: RawFrame.endHeaders, stream: 1, request).bytes()
                    + (0..<1000).flatMap { _ in RawFrame(.data, stream: 1).bytes() }
            }
        }
    }

    private func peer(_ port: Int) async throws -> FramePeer {
        try await FramePeer(port: port, trustRootsPath: self.rig.path("ca.pem"))
    }

    /// Waits until the gateway has closed a peer's connection.
    private func end(of peer: FramePeer) async throws {
        #expect(try await peer.next("the end of the connection", where: { _ in false }) == nil)
    }

    @Test(arguments: Flood.allCases) func aFloodEndsItsConnectionAndIsCounted(flood: Flood) async throws {
        let registry = MetricsRegistry()
        try await self.rig.withGateway(metrics: registry) { gateway in
            let port = gateway.providerAddress.port
            let other = try await RawProvider(port: port, trustRootsPath: self.rig.path("ca.pem"))
            let counter = #"whereabouts_gateway_connection_rules_broken_total{reason="\#(flood.reason)"}"#
            #expect(registry.page.contains("\(counter) 0"))
            let peer = try await self.peer(port)
            peer.send(Array(RawFrame.preface.utf8) + RawFrame(.settings).bytes() + flood.bytes)
            try await self.end(of: peer)
            #expect(registry.page.contains("\(counter) 1"))
            let headers = [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/00")]
            #expect(try await !other.request(headers, body: "{}").isEmpty)
            try await other.close()
        }
    }

    @Test func whatIsNoHTTP2IsCounted() async throws {
        let registry = MetricsRegistry()
        try await self.rig.withGateway(metrics: registry) { gateway in
            let peer = try await self.peer(gateway.providerAddress.port)
            peer.send(Array("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8))
            try await self.end(of: peer)
            #expect(registry.page.contains(#"connection_rules_broken_total{reason="preface"} 1"#))
        }
    }

    @Test(arguments: ["provider", "device"]) func whatIsNoTLSIsCounted(listener: String) async throws {
        let registry = MetricsRegistry()
        try await self.rig.withGateway(metrics: registry) { gateway in
            let port = listener == "device" ? gateway.deviceAddress.port : gateway.providerAddress.port
            let channel = try await ClientBootstrap(group: GatewayRig.group).connect(host: "127.0.0.1", port: port)
                .get()
            try await channel.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
            try await channel.closeFuture.get()
            let counter = #"whereabouts_gateway_handshakes_failed_total{listener="\#(listener)",reason="malformed"} 1"#
            #expect(registry.page.contains(counter))
        }
    }

    @Test func framesOfALinkThatAreNoneAreCounted() async throws {
        let registry = MetricsRegistry()
        try await self.rig.withGateway(metrics: registry) { gateway in
            let peer = try await self.peer(gateway.deviceAddress.port)
            peer.send(Array(repeating: 0xFF, count: 64))
            try await self.end(of: peer)
            #expect(registry.page.contains(#"whereabouts_gateway_links_ended_total{reason="unreadable"} 1"#))
        }
    }
}
