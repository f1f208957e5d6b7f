internal import NIOCore
internal import NIOEmbedded
internal import NIOSSL
internal import Synchronization
internal import Testing
internal import WhereaboutsCertificates
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

@Suite struct OpenConnectionsTests {
    /// Tests for counting the open connections.
    private struct Rig: ~Copyable {
        let counts = Counts()
        let open: OpenConnections

        init(connectionsMax: Int) {
            self.open = OpenConnections(connectionsMax: connectionsMax) { [counts = self.counts] in counts.append($0) }
        }

        func arrives(
            from address: String = "192.0.2.1",
            tls: NIOSSLContext? = nil
        ) throws -> (EmbeddedChannel, OpenConnections.OnArrival) {
            let channel = EmbeddedChannel()
            if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
            try channel.connect(to: SocketAddress(ipAddress: address, port: 443)).wait()
            return (channel, self.open.arrived(channel))
        }
    }

    private final class Counts: Sendable {
        private let counts = Mutex<[Int]>([])
        var all: [Int] { self.counts.withLock { $0 } }
        func append(_ count: Int) { self.counts.withLock { $0.append(count) } }
    }

    @Test func aConnectionHoldsItsPlaceUntilItCloses() throws {
        let rig = Rig(connectionsMax: 2)
        let (first, action) = try rig.arrives()
        #expect(action == .serve)
        let (second, _) = try rig.arrives()
        #expect(rig.open.all.count == 2)
        _ = try first.finish()
        #expect(rig.open.all.map { ObjectIdentifier($0) } == [ObjectIdentifier(second)])
        #expect(rig.counts.all == [1, 2, 1])
    }

    @Test func aStrangerIsClosedForTheNext() throws {
        let rig = Rig(connectionsMax: 1)
        let (first, _) = try rig.arrives()
        let (second, action) = try rig.arrives()
        #expect(action == .serveInPlaceOfAStranger)
        first.embeddedEventLoop.run()
        #expect(!first.isActive && second.isActive)
        // The close of the replaced connection changes no count.
        #expect(rig.open.all.count == 1 && rig.counts.all == [1, 1])
    }

    @Test func aSilentStrangerIsClosedAtOnce() throws {
        let issued = try LoopbackCertificate()
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.keyPEM.utf8), format: .pem))
        )
        let rig = Rig(connectionsMax: 1)
        let (first, _) = try rig.arrives(tls: NIOSSLContext(configuration: tls))
        try Self.shakeHands(first)
        _ = try rig.arrives()
        first.embeddedEventLoop.run()
        #expect(!first.isActive)
    }

    /// Completes a TLS handshake with a client that sends nothing afterwards.
    private static func shakeHands(_ server: EmbeddedChannel) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let client = EmbeddedChannel()
        let handler = try NIOSSLClientHandler(context: NIOSSLContext(configuration: tls), serverHostname: nil)
        try client.pipeline.syncOperations.addHandler(handler)
        try client.connect(to: SocketAddress(ipAddress: "192.0.2.9", port: 443)).wait()
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            while let bytes = try client.readOutbound(as: ByteBuffer.self) {
                try server.writeInbound(bytes)
                isQuiet = false
            }
            while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                try client.writeInbound(bytes)
                isQuiet = false
            }
        }
    }

    @Test func somebodyKnownStays() throws {
        let rig = Rig(connectionsMax: 1)
        let (first, _) = try rig.arrives()
        rig.open.showed(.known, first)
        let (second, action) = try rig.arrives()
        #expect(action == .refuse)
        #expect(first.isActive && rig.open.all.count == 1)
        // The refused connection had no place, so its close frees none.
        _ = try second.finish()
        #expect(rig.open.all.count == 1)
    }

    @Test func anAddressHasItsShareOncePlacesAreScarce() throws {
        let rig = Rig(connectionsMax: 100)
        var channels: [EmbeddedChannel] = []
        for _ in 0..<50 {
            let (channel, action) = try rig.arrives()
            #expect(action == .serve)
            channels.append(channel)
        }
        #expect(try rig.arrives().1 == .refuseAddress)
        #expect(try rig.arrives(from: "192.0.2.2").1 == .serve)
        for channel in channels.prefix(35) { _ = try channel.finish() }
        #expect(try rig.arrives().1 == .serve)
    }

    @Test func aKeyHasItsShareOncePlacesAreScarce() throws {
        let rig = Rig(connectionsMax: 100)
        for number in 0..<49 {
            let (channel, _) = try rig.arrives(from: "192.0.2.\(number)")
            #expect(rig.open.identified(channel, as: "A"))
        }
        let (one, _) = try rig.arrives(from: "192.0.2.49")
        #expect(!rig.open.identified(one, as: "A") && rig.open.identified(one, as: "B"))
    }
}
