internal import APNS
public import Crypto
internal import Foundation
public import PushEngine

/// A key that may sign provider tokens.
public struct ProviderKey: Sendable {
    /// The team that owns it, which tokens name as `iss`.
    public let teamID: String
    /// The key's id, which tokens name as `kid`.
    public let keyID: String
    /// The key that verifies its signatures.
    public let publicKey: P256.Signing.PublicKey
    /// The apps that it may push to.
    public let scope: TopicScope

    /// Creates a key.
    public init(teamID: String, keyID: String, publicKey: P256.Signing.PublicKey, scope: TopicScope) {
        self.teamID = teamID
        self.keyID = keyID
        self.publicKey = publicKey
        self.scope = scope
    }

    /// Reads `TEAMID:KEYID:FILE` or `TEAMID:KEYID:FILE:APP,APP…`, where the file is a `.p8` as Apple issues it, or a public
    /// key in PEM, and the apps are bundle identifiers.
    ///
    /// Without apps the key may push to all there are (``check(_:)``). The public key is enough, and the better
    /// choice: a private key cannot be stolen from a gateway that never had it.
    ///
    /// - Throws: ``GatewayError`` naming what is wrong and what helps.
    public init(option: String) throws {
        let parts = option.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard (3...4).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
            throw GatewayError(
                .badKey,
                "\(option): is not TEAMID:KEYID:FILE or TEAMID:KEYID:FILE:APP,APP; give for example "
                    + "ABCDE12345:FGHIJ67890:AuthKey.p8:com.example.FindFriends"
            )
        }
        for id in parts[...1] where !Self.isID(id) {
            throw GatewayError(
                .badKey,
                "'\(id)' in \(option): is no id of a team or key; 10 letters and digits are due"
            )
        }
        let apps = parts.count == 4 ? parts[3].split(separator: ",", omittingEmptySubsequences: false) : []
        for app in apps where !Topic.isBundleIdentifier(app) {
            throw GatewayError(.badKey, "'\(app)' in \(option): is no bundle identifier; write com.example.FindFriends")
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
            self.init(
                teamID: parts[0],
                keyID: parts[1],
                publicKey: try Self.publicKey(pem: pem),
                scope: apps.isEmpty ? .all : .apps(Set(apps.map(String.init)))
            )
        } catch {
            throw GatewayError(
                .badKey,
                "\(parts[2]): holds no P-256 key in PEM; give the .p8 file of the key, or what "
                    + "`openssl pkey -in AuthKey.p8 -pubout` makes of it"
            )
        }
    }

    /// Creates a key from its public key in PEM, with the apps that it may push to; none: all there are.
    ///
    /// - Throws: ``GatewayError`` naming what is wrong and what helps.
    init(teamID: String, keyID: String, publicKeyPEM: String, apps: [String]) throws {
        for id in [teamID, keyID] where !Self.isID(id) {
            throw GatewayError(.badKey, "'\(id)': is no id of a team or key; 10 letters and digits are due")
        }
        for app in apps where !Topic.isBundleIdentifier(app) {
            throw GatewayError(.badKey, "'\(app)': is no bundle identifier; write com.example.FindFriends")
        }
        guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: publicKeyPEM) else {
            throw GatewayError(.badKey, "\(keyID): the public key is no P-256 key in PEM")
        }
        self.init(teamID: teamID, keyID: keyID, publicKey: publicKey, scope: apps.isEmpty ? .all : .apps(Set(apps)))
    }

    /// The team and the key, as `TEAM:KEY`.
    public var name: String { "\(self.teamID):\(self.keyID)" }

    /// The apps that it may push to, in their order; none when it may push to all.
    public var apps: [String] {
        switch self.scope {
        case .all: []
        case .apps(let apps): apps.sorted()
        }
    }

    /// Whether a text is the id of a team or of its key, as Apple's developer pages show them.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
    }

    /// Checks keys that are used together: those of one team may push to every app, those of several to their own.
    ///
    /// - Throws: ``GatewayError`` naming the key that says no apps.
    static func check(_ keys: [ProviderKey]) throws {
        guard Set(keys.map(\.teamID)).count > 1, let key = keys.first(where: { $0.scope == .all }) else { return }
        throw GatewayError(
            .badKey,
            "\(key.teamID):\(key.keyID): names no apps, and could push to those of the other teams; add them after the "
                + "file, as in \(key.teamID):\(key.keyID):FILE:com.example.FindFriends"
        )
    }

    private static func publicKey(pem: String) throws -> P256.Signing.PublicKey {
        if pem.contains("BEGIN PUBLIC KEY") { return try P256.Signing.PublicKey(pemRepresentation: pem) }
        return try P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
    }
}
