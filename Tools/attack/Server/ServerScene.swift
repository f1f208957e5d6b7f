internal import Crypto
internal import Foundation
internal import NIOCore
internal import Rig
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A sharing server over a push gateway, with honest people: an honest action is a request that is answered.
///
/// One device answers for many people, so that no grant and no sharer comes near a limit.
final class ServerScene: AttackScene {
    /// One person with a device, and the grants to their requesters.
    private struct Friend: Sendable {
        let sharer: Sharer
        let grants: [Signed<Grant>]
    }

    static let friendsCount = 32
    static let grantsCount = 4
    static let bundle = "com.example.Friends"
    private static let topic = PushType.location.topic(bundleIdentifier: ServerScene.bundle)

    let installation: Installation
    let port: Int
    /// A requester with a grant, whose key an insider has.
    let insider: (requester: Requester, grant: Signed<Grant>)
    /// A grant for one use, which the insider has, and its sharer.
    let once: (sharer: Sharer, grant: Signed<Grant>)
    private let requester: Requester
    private let friends: [Friend]
    private let device: PushLinkClient
    private let actions = Mutex(0)

    private init(
        installation: Installation,
        port: Int,
        requester: Requester,
        insider: (requester: Requester, grant: Signed<Grant>),
        once: (sharer: Sharer, grant: Signed<Grant>),
        friends: [Friend],
        device: PushLinkClient
    ) {
        self.installation = installation
        self.port = port
        self.requester = requester
        self.insider = insider
        self.once = once
        self.friends = friends
        self.device = device
    }

    static func start() async throws -> ServerScene { try await self.start(descriptors: nil) }

    /// Starts a server with this limit of descriptors.
    static func start(descriptors: Int?) async throws -> ServerScene {
        let installation = try Installation()
        do {
            try installation.startGateway()
            try installation.startServer(descriptors: descriptors)
            return try await self.scene(installation)
        } catch {
            installation.stop()
            installation.workspace.remove()
            throw error
        }
    }

    private static func scene(_ installation: Installation) async throws -> ServerScene {
        guard let devicePort = installation.devicePort, let port = URLComponents(string: installation.server)?.port
        else {
            throw RigError("the gateway and the server", "they said no ports")
        }
        let settings = try ServerSettings(server: installation.server, trustRoots: installation.workspace.authorityPath)
        func profile(_ name: String) throws -> SharingProfile {
            try SharingProfile.openOrCreate(path: "\(installation.workspace.directory)/\(name)", settings: settings)
        }
        let arrivals = Arrivals()
        let sharers = try (0..<self.friendsCount).map { try Sharer(profile: profile("sharer-\($0)")) }
        let device = try self.device(installation, port: devicePort, arrivals, sharers)
        let token = try await arrivals.token(within: GatewayScene.patience)
        let requester = try Requester(profile: profile("requester"))
        let insider = try Requester(profile: profile("insider"))
        var friends: [Friend] = []
        for sharer in sharers {
            try await sharer.register(deviceToken: Data(token.bytes), topic: self.bundle)
            let grants = try (0..<self.grantsCount).map { _ in try self.grant(sharer, to: requester) }
            friends.append(Friend(sharer: sharer, grants: grants))
        }
        let grant = try self.grant(sharers[0], to: insider)
        return ServerScene(
            installation: installation,
            port: port,
            requester: requester,
            insider: (insider, grant),
            once: (sharers[1], try self.grant(sharers[1], to: insider, usesMax: 1)),
            friends: friends,
            device: device
        )
    }

    /// A grant with an interval; without one, the server's pace would allow too few requests for a trial.
    private static func grant(
        _ sharer: Sharer,
        to requester: Requester,
        usesMax: UInt16? = nil
    ) throws -> Signed<Grant> {
        try sharer.approve(
            requester: requester.profile.identity.publicIdentity,
            precision: .full,
            for: .seconds(86_400),
            atMostEvery: .seconds(1),
            limits: GrantLimits(usesMax: usesMax)
        )
    }

    /// A device that answers the requests in its pushes, if they are to one of these sharers.
    static func device(
        _ installation: Installation,
        port: Int,
        _ arrivals: Arrivals,
        _ sharers: [Sharer]
    ) throws -> PushLinkClient {
        let link = PushLinkClient.Configuration(
            host: "localhost",
            port: port,
            trustRootsPath: installation.workspace.authorityPath
        )
        let device = try PushLinkClient(
            configuration: link,
            key: Curve25519.Signing.PrivateKey(),
            group: GatewayScene.group,
            logger: GatewayScene.logger,
            events: { event in
                arrivals.record(event)
                if case .push(let push) = event { self.answer(push.payload, sharers) }
            }
        )
        arrivals.acknowledge = { device.acknowledge($0) }
        device.setTopics([self.topic])
        device.register(topic: self.topic)
        device.start()
        return device
    }

    /// Answers the request in a push, as the extension of its sharer's app does.
    private static func answer(_ payload: [UInt8], _ sharers: [Sharer]) {
        Task {
            guard let json = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else { return }
            // Only the sharer that was asked can open the push.
            for sharer in sharers {
                guard let incoming = try? sharer.receive(pushPayload: json) else { continue }
                return try await self.answer(incoming, sharer)
            }
        }
    }

    private static func answer(_ incoming: IncomingRequest, _ sharer: Sharer) async throws {
        try await sharer.respond(to: incoming) {
            try SharedFix(latitude: 52.5, longitude: 13.4, horizontalAccuracy: 5, time: .now)
        }
    }

    func honestAction() async throws {
        let number = self.actions.withLock { number in
            defer { number += 1 }
            return number
        }
        let friend = self.friends[number % Self.friendsCount]
        let grant = friend.grants[number / Self.friendsCount % Self.grantsCount]
        var last: RequestUpdate?
        for await update in self.requester.ask(grant, deadline: .seconds(15)) { last = update }
        guard let last, last.state.kind == .answered else {
            let state = last?.state
            throw RigError("a request", "it ended as \(state?.kind.rawValue ?? "nothing"): \(state?.reason ?? "")")
        }
    }

    var pids: [Int32] { ["server", "gateway"].compactMap { self.installation.pid(of: $0) } }

    func stop() async {
        try? await self.device.shutdown().get()
        self.installation.stop()
        self.installation.workspace.remove()
    }
}
