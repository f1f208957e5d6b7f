internal import Foundation
internal import Logging
internal import WhereaboutsCertificates
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// A server over real TLS, a sharer, a requester, and a temporary directory.
final class Town: Sendable {
    let directory: String
    let push: PushModel
    let log = LogCapture()

    init(push: PushModel = PushModel()) throws {
        self.directory = FileManager.default.temporaryDirectory.appending(path: "town-\(UUID().uuidString)")
            .path(percentEncoded: false)
        self.push = push
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: false)
        let tls = try LoopbackCertificate()
        for (name, text) in [
            ("ca.pem", tls.authorityPEM), ("tls.pem", tls.certificatePEM), ("tls.key", tls.keyPEM),
        ] {
            try Data(text.utf8).write(to: URL(filePath: self.path(name)))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: self.directory) }

    func path(_ name: String) -> String { "\(self.directory)/\(name)" }

    /// Runs a server while `body` runs, and then cancels it abruptly, as `kill` does; its clock may be ahead.
    func withServer<Value: Sendable>(
        port: Int = 0,
        policy: SharingPolicy = SharingPolicy(),
        push: PushModel? = nil,
        connectionsMax: Int? = nil,
        eventStreamsMax: Int? = nil,
        ahead: Duration = .zero,
        tiles: TileService? = nil,
        dispatchers: [PublicIdentity: Dispatcher] = [:],
        database: String? = nil,
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        var configuration = SharingServer.Configuration(
            host: "127.0.0.1",
            port: port,
            certificate: self.path("tls.pem"),
            privateKey: self.path("tls.key"),
            database: database ?? self.path("server.sqlite")
        )
        configuration.policy = policy
        configuration.connectionsMax = connectionsMax ?? configuration.connectionsMax
        configuration.eventStreamsMax = eventStreamsMax ?? configuration.eventStreamsMax
        configuration.tiles = tiles
        configuration.dispatchers = dispatchers
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = try SharingServer(
            configuration: configuration,
            push: push ?? self.push,
            logger: self.log.logger,
            now: { WallTime.now.advanced(by: ahead) }
        )
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try? await server.run(onListening: { continuation.yield($0) })
                return nil
            }
            group.addTask {
                for await port in ports { return try await body(port) }
                throw TownError()
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw TownError()
        }
    }

    func profile(_ name: String, port: Int) throws -> SharingProfile {
        try SharingProfile.openOrCreate(
            path: self.path(name),
            settings: ServerSettings(server: "https://localhost:\(port)", trustRoots: self.path("ca.pem"))
        )
    }

    /// A sharer whose device is registered, and a requester with a grant.
    func people(
        port: Int,
        precision: Precision = .full,
        atMostEvery: Duration = .zero,
        limits: GrantLimits = GrantLimits()
    ) async throws -> (sharer: Sharer, requester: Requester, grant: Signed<Grant>) {
        let sharer = try Sharer(profile: self.profile("sharer", port: port))
        let requester = try Requester(profile: self.profile("requester", port: port))
        try await sharer.register(deviceToken: Self.token, topic: Self.topic)
        let grant = try sharer.approve(
            requester: requester.profile.identity.publicIdentity,
            precision: precision,
            for: .seconds(3600),
            atMostEvery: atMostEvery,
            limits: limits
        )
        return (sharer, requester, grant)
    }

    /// Waits for the next push, and receives it as the device.
    func received(by sharer: Sharer, from push: PushModel? = nil) async throws -> IncomingRequest {
        for await push in (push ?? self.push).pushes {
            let json = try JSONSerialization.jsonObject(with: Data(push.payload))
            guard let payload = json as? [String: Any] else { throw TownError() }
            return try sharer.receive(pushPayload: payload)
        }
        throw TownError()
    }

    /// The registration of a device that has the base point of X25519 as its key.
    static func registration(
        of sharer: PublicIdentity,
        token: [UInt8] = [1],
        topic: String = "a",
        issued: WallTime
    ) throws -> Registration {
        try Registration(
            sharer: sharer,
            token: token,
            topic: topic,
            issued: issued,
            device: RegisteredDevice(
                id: DeviceID(high: 0, low: 0),
                chosen: issued,
                pushKey: [9] + Array(repeating: 0, count: RegisteredDevice.pushKeyByteCount - 1),
                sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
            )
        )
    }

    static let token = Data((0..<32).map { UInt8($0 * 7 % 251) })
    static let topic = "com.example.FindFriends"
    static let latitude = 52.5200066
    static let longitude = -13.4049541

    @Sendable static func measure() throws -> SharedFix {
        try SharedFix(latitude: self.latitude, longitude: self.longitude, horizontalAccuracy: 4.5, time: .now)
    }
}

struct TownError: Error {}

extension Requester {
    /// Asks and returns all updates.
    func updates(_ grant: Signed<Grant>, deadline: Duration = .seconds(20)) async -> [RequestUpdate] {
        var updates: [RequestUpdate] = []
        for await update in self.ask(grant, deadline: deadline) { updates.append(update) }
        return updates
    }
}
