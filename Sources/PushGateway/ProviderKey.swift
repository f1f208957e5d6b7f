public import Crypto
internal import Foundation

/// A key that may sign provider tokens.
public struct ProviderKey: Sendable {
    /// The team that owns it: what tokens name as `iss`.
    public let teamID: String
    /// What tokens name as `kid`.
    public let keyID: String
    /// What verifies its signatures.
    public let publicKey: P256.Signing.PublicKey

    /// Creates a key.
    public init(teamID: String, keyID: String, publicKey: P256.Signing.PublicKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.publicKey = publicKey
    }

    /// Reads `TEAMID:KEYID:FILE`, where the file is a `.p8` as Apple issues it, or a public key in PEM.
    ///
    /// The public key is enough, and the better choice: what is not here cannot be stolen from here.
    ///
    /// - Throws: ``GatewayError`` naming what is wrong and what helps.
    public init(option: String) throws {
        let parts = option.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
            throw GatewayError(
                .badKey,
                "\(option): is not TEAMID:KEYID:FILE; give for example ABCDE12345:FGHIJ67890:AuthKey.p8"
            )
        }
        let pem: String
        do {
            pem = try String(contentsOfFile: parts[2], encoding: .utf8)
        } catch {
            throw GatewayError(
                .badKey,
                "\(parts[2]): cannot be read (\(error.localizedDescription)); check the path in \(option)"
            )
        }
        do {
            self.init(teamID: parts[0], keyID: parts[1], publicKey: try Self.publicKey(pem: pem))
        } catch {
            throw GatewayError(
                .badKey,
                "\(parts[2]): holds no P-256 key in PEM; give the .p8 file of the key, or what "
                    + "`openssl pkey -in AuthKey.p8 -pubout` makes of it"
            )
        }
    }

    private static func publicKey(pem: String) throws -> P256.Signing.PublicKey {
        if pem.contains("BEGIN PUBLIC KEY") { return try P256.Signing.PublicKey(pemRepresentation: pem) }
        return try P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
    }
}
