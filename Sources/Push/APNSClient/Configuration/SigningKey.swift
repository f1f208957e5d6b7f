public import Crypto
internal import WhereaboutsAPNS

/// A key that signs provider tokens, and its scope.
///
/// Apple issues keys for all apps of a team, and keys for named apps ("topic-specific"). A key is valid for one environment; older
/// keys are valid for both. A client has separate connections for each key, because a connection accepts tokens of only one key.
public struct SigningKey: Sendable {
    /// The ID of the team that owns the key, 10 characters.
    public var teamID: String
    /// The ID of the key, 10 characters.
    public var keyID: String
    /// The key.
    public var privateKey: P256.Signing.PrivateKey
    /// The bundle identifiers that the key may push to; empty: all apps that no other key names.
    public var apps: Set<String>
    /// The environment that the key may push to; nil: both.
    public var environment: Environment?

    /// Describes a key.
    public init(
        teamID: String,
        keyID: String,
        privateKey: P256.Signing.PrivateKey,
        apps: Set<String> = [],
        environment: Environment? = nil
    ) {
        self.teamID = teamID
        self.keyID = keyID
        self.privateKey = privateKey
        self.apps = apps
        self.environment = environment
    }

    /// Reads a key file as Apple issues it (`.p8`, PEM).
    ///
    /// - Throws: ``APNSError`` naming the file and the remedy.
    public init(
        teamID: String,
        keyID: String,
        path: String,
        apps: Set<String> = [],
        environment: Environment? = nil
    ) throws {
        let file = try CredentialFile.bytes(path, remedy: "give the .p8 file of key \(keyID)")
        let key: P256.Signing.PrivateKey
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: String(decoding: file, as: UTF8.self))
        } catch {
            throw APNSError(
                .badConfiguration,
                "\(path): contains no P-256 private key in PEM; give the .p8 file that belongs to key \(keyID)",
                .changeConfiguration
            )
        }
        self.init(teamID: teamID, keyID: keyID, privateKey: key, apps: apps, environment: environment)
    }

    /// Returns whether a text has the form of a team's or key's id: 10 letters and digits.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
            }
    }
}
