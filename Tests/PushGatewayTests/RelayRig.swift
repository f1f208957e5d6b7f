internal import Crypto
internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway

/// A vendor's gateway that relays, a sender, and a server in Apple's place.
final class RelayRig: Sendable {
    static let senderTeam = "SELFHOST01"
    static let senderKeyID = "HOSTKEY001"
    static let sealed = #"{"aps":{},"whereabouts":{"sealed":"c2VhbGVkLCBhcyBmYXIgYXMgYW55Ym9keSBjYW4gdGVsbA"}}"#

    /// The vendor's own files, and the key that the vendor's own provider has.
    let vendor: GatewayRig
    /// The key that Apple gave the vendor.
    let vendorKey = P256.Signing.PrivateKey()
    /// The key of the server that sends.
    let senderKey = P256.Signing.PrivateKey()
    let log = LogLines()

    init() throws {
        self.vendor = try GatewayRig()
    }

    /// The relay's connection to the server in Apple's place.
    func way(port: Int, trustRootsPath: String, key: P256.Signing.PrivateKey? = nil) -> APNSClient.Configuration {
        APNSClient.Configuration(
            endpoint: Endpoint(host: "localhost", port: port),
            keys: [
                SigningKey(
                    teamID: GatewayRig.teamID,
                    keyID: GatewayRig.keyID,
                    privateKey: key ?? self.vendorKey,
                    apps: [GatewayRig.bundle]
                )
            ],
            trustRoots: .file(trustRootsPath)
        )
    }

    /// Runs the vendor's gateway with a sender that may send this many pushes a day.
    func withRelay(
        to way: APNSClient.Configuration,
        pushesADay: Int = 1000,
        timeout: Duration = .seconds(60),
        metrics: MetricsRegistry = MetricsRegistry(),
        _ body: (PushGateway, APNSClient) async throws -> Void
    ) async throws {
        try await self.vendor.withGateway(
            apps: ":org.example.Vendor,\(GatewayRig.bundle)",
            relay: way,
            relayTimeout: timeout,
            logger: self.log.logger,
            metrics: metrics
        ) { gateway in
            try gateway.add(
                ProviderKey(
                    teamID: Self.senderTeam,
                    keyID: Self.senderKeyID,
                    publicKey: self.senderKey.publicKey,
                    scope: .apps([GatewayRig.bundle]),
                    relayedADay: pushesADay
                )
            )
            let sender = try self.sender(gateway)
            try await body(gateway, sender)
            await sender.shutdown()
        }
    }

    func sender(_ gateway: PushGateway) throws -> APNSClient {
        try self.vendor.provider(gateway, key: self.senderKey, teamID: Self.senderTeam, keyID: Self.senderKeyID)
    }

    /// A sealed push for a token that the vendor's gateway never issued.
    func push(_ token: [UInt8] = [7, 7], payload: String = RelayRig.sealed) throws -> Push {
        try self.vendor.push(token, payload: payload)
    }

    /// The sender's account of today as text.
    static func account(_ gateway: PushGateway) async throws -> String {
        let sender = try #require(
            try await gateway.senders().first { $0.sender == "\(Self.senderTeam):\(Self.senderKeyID)" }
        )
        guard let day = sender.days.first else { return "nothing" }
        let rejected = day.rejected.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "sent=\(day.sent) accepted=\(day.accepted)\(rejected) unanswered=\(day.unanswered)"
    }
}
