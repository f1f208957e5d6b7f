internal import Crypto
internal import Foundation
internal import Rig

/// A ``GatewayScene`` with few connections for providers, and a second team whose key the gateway has.
struct TenantScene: AttackScene {
    static let teamID = "TENANTTEAM"
    static let keyID = "TENANTKEY1"
    static let bundle = "com.example.Tenant"

    let gateway: GatewayScene
    let key: P256.Signing.PrivateKey

    static func start() async throws -> TenantScene {
        let installation = try Installation()
        let key = P256.Signing.PrivateKey()
        let gateway = try await GatewayScene.start(in: installation) {
            let path = "\(installation.workspace.directory)/tenant.pem"
            try Data(key.publicKey.pemRepresentation.utf8).write(to: URL(filePath: path))
            return ["--key", "\(self.teamID):\(self.keyID):\(path):\(self.bundle)", "--provider-connections", "100"]
        }
        return TenantScene(gateway: gateway, key: key)
    }

    func honestAction() async throws { try await self.gateway.honestAction() }

    var pids: [Int32] { self.gateway.pids }

    func stop() async { await self.gateway.stop() }

    /// A new provider token.
    func token() throws -> String {
        let header = Data(#"{"alg":"ES256","kid":"\#(Self.keyID)"}"#.utf8)
        let claims = Data(#"{"iss":"\#(Self.teamID)","iat":\#(Int64(Date.now.timeIntervalSince1970))}"#.utf8)
        let signed = "\(Self.text(of: header)).\(Self.text(of: claims))"
        let signature = try self.key.signature(for: Data(signed.utf8)).rawRepresentation
        return "\(signed).\(Self.text(of: signature))"
    }

    private static func text(of data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
