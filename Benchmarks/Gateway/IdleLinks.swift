internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// The gateway's memory for a device that is connected and idle.
///
/// The devices are in the gateway's store from the start, as after a restart: one address gets 1,024 tokens at once,
/// and all these devices have one address.
enum IdleLinks {
    /// The maximum number of devices, if the limit of descriptors in one process allows twice as many.
    ///
    /// They have one address: beyond half of the gateway's connections, only a quarter may come from there.
    private static let devicesMax = 9000
    /// The descriptors that are reserved for other files.
    private static let descriptorsKept = 500
    /// The devices that connect at a time: half of the unknown devices that one address may have at this limit.
    private static let newcomersMax = 100
    /// The connections to the reference; each needs as much memory as the others.
    private static let bareConnections = 1000

    /// Returns the kilobytes for each device, compared with those for each connection of a bare server.
    static func figure(
        gateway: String,
        bare: Child,
        barePort: Int,
        _ workspace: Workspace,
        log: String
    ) async throws -> Figure {
        let count = min(Self.devicesMax, (try Descriptors.raiseLimit() - Self.descriptorsKept) / 2)
        let keys = (0..<count).map { _ in Curve25519.Signing.PrivateKey() }
        let path = "\(workspace.directory)/idle.sqlite"
        try Self.store(keys, path)
        let process = try Child(
            "an idle gateway",
            gateway,
            [
                "gateway", "--certificate", workspace.certificatePath, "--private-key", workspace.privateKeyPath,
                "--key", "\(Workspace.teamID):\(Workspace.keyID):\(workspace.providerKeyPath):\(Fleet.bundle)",
                "--database", path, "--device-connections", "\(2 * Self.devicesMax)", "--provider-connections", "10",
                "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
            ],
            log: log
        )
        defer { process.terminate() }
        let line = try process.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        guard
            let port = line.range(of: "device=127.0.0.1:").flatMap({
                Int(line[$0.upperBound...].prefix { $0.isNumber })
            })
        else { throw RigError("the gateway", "said '\(line)'") }
        var configuration = PushLinkClient.Configuration(
            host: "127.0.0.1",
            port: port,
            trustRootsPath: workspace.authorityPath
        )
        // Leave the descriptors to the connections.
        configuration.countsSleep = false
        let before = try await Self.kilobytes(process)
        let clients = try await Self.connect(keys, configuration)
        let each = (try await Self.kilobytes(process) - before) / Double(count)
        for client in clients { client.shutdown().whenComplete { _ in } }
        let bareEach = try await Self.bare(bare, barePort, workspace)
        return Figure(
            name: "idle-memory",
            value: each,
            unit: "KiB a device, of \(count)",
            ratio: each / bareEach,
            reference: "a connection of a bare server on NIO (\(String(format: "%.1f", bareEach)) KiB)"
        )
    }

    private static func store(_ keys: [Curve25519.Signing.PrivateKey], _ path: String) throws {
        let store = try SQLitePushStore(path: path)
        defer { try? store.close() }
        var random = SystemRandomNumberGenerator()
        let now = WallTime(seconds: Int64(Date.now.timeIntervalSince1970))
        try store.transaction { transaction in
            for key in keys {
                try transaction.insert(
                    TokenRecord(
                        token: DeviceToken(using: &random),
                        device: DeviceKey(bytes: Array(key.publicKey.rawRepresentation)),
                        topic: Fleet.topic,
                        usedAt: now,
                        isPushed: true
                    )
                )
            }
        }
    }

    private static func connect(
        _ keys: [Curve25519.Signing.PrivateKey],
        _ configuration: PushLinkClient.Configuration
    ) async throws -> [PushLinkClient] {
        var clients: [PushLinkClient] = []
        for start in stride(from: 0, to: keys.count, by: Self.newcomersMax) {
            let newcomers = keys[start..<min(start + Self.newcomersMax, keys.count)]
            let (news, arrival) = AsyncStream<Void>.makeStream()
            for key in newcomers {
                let client = try PushLinkClient(
                    configuration: configuration,
                    key: key,
                    group: MultiThreadedEventLoopGroup.singleton,
                    logger: Fleet.logger,
                    events: { if case .registered = $0 { arrival.yield() } }
                )
                client.setTopics([Fleet.topic])
                client.register(topic: Fleet.topic)
                client.start()
                clients.append(client)
            }
            for await _ in news.prefix(newcomers.count) {}
        }
        return clients
    }

    /// The kilobytes of a connection of the bare server: only TLS and HTTP/2's first frames.
    private static func bare(_ server: Child, _ port: Int, _ workspace: Workspace) async throws -> Double {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(workspace.authorityPath)
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let before = try await Self.kilobytes(server)
        var channels: [any Channel] = []
        for _ in 0..<Self.bareConnections {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            // The preface and empty SETTINGS (RFC 9113, 3.4).
            var first = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            first.writeBytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
            try await channel.writeAndFlush(first)
            channels.append(channel)
        }
        let each = (try await Self.kilobytes(server) - before) / Double(channels.count)
        for channel in channels { channel.close(promise: nil) }
        return each
    }

    /// The resident memory of a process, after two seconds of rest.
    static func kilobytes(_ process: Child) async throws -> Double {
        try await Task.sleep(for: .seconds(2))
        let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let value = Double(line.split(whereSeparator: { !$0.isNumber }).first ?? "")
        else { throw RigError(process.name, "has no memory") }
        return value
    }
}
