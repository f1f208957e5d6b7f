internal import Foundation
internal import NIOCore
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsPushLink
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A sharer and a requester in one: it registers its own device, grants itself access, and sends requests.
///
/// The server accepts all of it. The device accepts pushes and never answers, so a request stays open for half a minute.
final class Accomplice: Sendable {
    private let identity: Identity
    private let device: PushLinkClient

    private init(_ identity: Identity, _ device: PushLinkClient) {
        self.identity = identity
        self.device = device
    }

    /// Gets a token and registers the device.
    static func start(_ scene: ServerScene) async throws -> Accomplice {
        guard let port = scene.installation.devicePort else { throw ChannelFailure(words: "the gateway said no port") }
        let arrivals = Arrivals()
        let device = try ServerScene.device(scene.installation, port: port, arrivals, [])
        do {
            let token = try await arrivals.token(within: GatewayScene.patience)
            let settings = try ServerSettings(
                server: scene.installation.server,
                trustRoots: scene.installation.workspace.authorityPath
            )
            let path = "\(scene.installation.workspace.directory)/accomplice"
            let sharer = try Sharer(profile: SharingProfile.openOrCreate(path: path, settings: settings))
            try await sharer.register(deviceToken: Data(token.bytes), topic: ServerScene.bundle)
            return Accomplice(sharer.profile.identity, device)
        } catch {
            try? await device.shutdown().get()
            throw error
        }
    }

    /// A request to itself under a new grant.
    func request() throws -> Signed<Request> {
        var generator = SystemRandomNumberGenerator()
        let me = self.identity.publicIdentity
        let grant = try self.identity.sign(
            Grant(
                to: me,
                by: me,
                precision: .full,
                for: .seconds(3600),
                atMostEvery: .seconds(1),
                using: &generator,
                now: .now
            )
        )
        let key = try HPKESealing().makeKey(suite: .x25519).publicKey
        return try self.identity.sign(
            Request(under: grant, precision: .full, suite: .x25519, publicKey: key, using: &generator, now: .now)
        )
    }

    /// The header with which the states of a request are read.
    func authorization(for request: Signed<Request>) throws -> String {
        let permit = ReadPermit(request: request.value.id, requester: self.identity.publicIdentity)
        return "Whereabouts \(Base64URL.text(of: try self.identity.sign(permit).bytes))"
    }

    func stop() async { try? await self.device.shutdown().get() }
}

/// A failure of the attacker itself.
struct ChannelFailure: Error, CustomStringConvertible {
    let words: String

    var description: String { self.words }
}
