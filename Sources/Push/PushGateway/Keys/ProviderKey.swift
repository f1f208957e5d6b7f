public import Crypto
internal import Foundation
internal import WhereaboutsAPNS
public import WhereaboutsPushEngine

/// A key that may sign provider tokens.
public struct ProviderKey: Sendable {
    /// The ID of the team that owns the key, which tokens name as `iss`.
    public let teamID: String
    /// The key's ID, which tokens name as `kid`.
    public let keyID: String
    /// The public key that verifies signatures.
    public let publicKey: P256.Signing.PublicKey
    /// The apps to which the key may push.
    public let scope: TopicScope
    /// The number of pushes relayed for it in a day, 1 to ``PushEngine/Sender/pushesADayMax``; nil if the key is not a sender's.
    public var relayedADay: Int?

    /// Creates a key.
    public init(
        teamID: String,
        keyID: String,
        publicKey: P256.Signing.PublicKey,
        scope: TopicScope,
        relayedADay: Int? = nil
    ) {
        self.teamID = teamID
        self.keyID = keyID
        self.publicKey = publicKey
        self.scope = scope
        self.relayedADay = relayedADay
    }

    /// Reads `TEAMID:KEYID:FILE` or `TEAMID:KEYID:FILE:APP,APP…`, where the file is a `.p8` as Apple issues it, or a public
    /// key in PEM, and the apps are bundle identifiers.
    ///
    /// Without apps, the key may push to every app (``checkApps(_:)``). The public key suffices, and is
    /// safer: a private key that the gateway does not have cannot be stolen from it.
    ///
    /// - Throws: ``GatewayError`` naming the mistake and the remedy.
    public init(option: String) throws {
        let option = try KeyOption(option)
        let pem: String
        do {
            pem = try String(contentsOfFile: option.path, encoding: .utf8)
        } catch {
            throw GatewayError(
                .badKey,
                "\(option.path): cannot be read; check the path, and that it is a file which this user may read"
            )
        }
        do {
            self.init(
                teamID: option.teamID,
                keyID: option.keyID,
                publicKey: try Self.publicKey(pem: pem),
                scope: option.apps.isEmpty ? .all : .apps(Set(option.apps))
            )
        } catch {
            throw GatewayError(
                .badKey,
                "\(option.path): contains no P-256 key in PEM; give the .p8 file of the key, or what "
                    + "`openssl pkey -in AuthKey.p8 -pubout` makes of it"
            )
        }
    }

    /// Creates a key from its public key in PEM, with its apps; empty: all apps.
    ///
    /// - Throws: ``GatewayError`` naming the mistake and the remedy.
    init(teamID: String, keyID: String, publicKeyPEM: String, apps: [String], relayedADay: Int?) throws {
        for id in [teamID, keyID] where !Self.isID(id) {
            throw GatewayError(.badKey, "'\(id)' is not a team or key ID; expected 10 letters and digits")
        }
        for app in apps where !Topic.isBundleIdentifier(app) {
            throw GatewayError(.badKey, "'\(app)': is not a bundle identifier; write com.example.FindFriends")
        }
        guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: publicKeyPEM) else {
            throw GatewayError(.badKey, "\(keyID): the public key is not a P-256 key in PEM")
        }
        if let relayedADay { try Self.checkRelayed(relayedADay) }
        self.init(
            teamID: teamID,
            keyID: keyID,
            publicKey: publicKey,
            scope: apps.isEmpty ? .all : .apps(Set(apps)),
            relayedADay: relayedADay
        )
    }

    /// Checks the number of pushes that the relay may send for a key in a day.
    ///
    /// - Throws: ``GatewayError`` naming the range.
    public static func checkRelayed(_ count: Int) throws {
        guard (1...Sender.pushesADayMax).contains(count) else {
            throw GatewayError(
                .badKey,
                "\(count): the number of pushes to relay in a day must be from 1 to \(Sender.pushesADayMax); without it, "
                    + "none is"
            )
        }
    }

    /// Checks that a sender's key names a relayed app; otherwise it could push to no iPhone.
    ///
    /// It must name apps even if there is no other team, because the vendor's key may be added later.
    ///
    /// - Throws: ``GatewayError`` naming the apps and the remedy.
    func checkRelayed(among relayed: Set<String>) throws {
        guard !relayed.isEmpty else {
            throw GatewayError(
                .badKey,
                "\(self.name): nothing is relayed here; start the gateway with --relay, or add the key without a number"
            )
        }
        guard self.scope != .all else {
            throw GatewayError(
                .badKey,
                "\(self.name): names no apps, and a sender's key must: it could push to all of this gateway's own devices; add them after the "
                    + "file, as in \(self.name):FILE:\(relayed.min() ?? "com.example.FindFriends")"
            )
        }
        guard self.relayedApps(among: relayed).isEmpty else { return }
        let (own, there) = (self.apps.joined(separator: ", "), relayed.sorted().joined(separator: ", "))
        throw GatewayError(
            .badKey,
            "\(self.name): no push would go to Apple for \(own); this gateway relays \(there): name one of these, or start it "
                + "with a --relay for yours"
        )
    }

    /// The apps whose pushes are relayed with this key, sorted; empty if the key is not a sender's.
    func relayedApps(among relayed: Set<String>) -> [String] {
        self.relayedADay == nil ? [] : self.scope.apps(among: relayed).sorted()
    }

    /// The relay's sender with this key; nil if there is none.
    var sender: Sender? {
        self.relayedADay.map { Sender(Sender.Name(teamID: self.teamID, keyID: self.keyID), pushesADay: $0) }
    }

    /// The team and the key, as `TEAM:KEY`.
    public var name: String { "\(self.teamID):\(self.keyID)" }

    /// The apps to which the key may push, sorted; empty: all apps.
    public var apps: [String] {
        switch self.scope {
        case .all: []
        case .apps(let apps): apps.sorted()
        }
    }

    /// Whether a text has the form of a team's or a key's ID on Apple's developer pages.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
    }

    /// Checks the option of a key, without opening a file.
    ///
    /// - Throws: ``GatewayError`` naming the mistake and the remedy.
    public static func check(option: String) throws {
        _ = try KeyOption(option)
    }

    private static func publicKey(pem: String) throws -> P256.Signing.PublicKey {
        if pem.contains("BEGIN PUBLIC KEY") { return try P256.Signing.PublicKey(pemRepresentation: pem) }
        return try P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
    }
}
