internal import Crypto
internal import WhereaboutsPushEngine

/// The rules for keys that are used together.
extension ProviderKey {
    /// Checks that keys name their apps if there are several teams; the keys of a single team may push to every app.
    ///
    /// A sender of the relay has no apps of its own. So a vendor's key need not name apps because of a sender, but the sender's key
    /// must name apps; otherwise it could push to all of the vendor's devices.
    ///
    /// - Throws: ``GatewayError`` naming the key without apps.
    static func checkApps(_ keys: [ProviderKey]) throws {
        let teams = Set(keys.map(\.teamID))
        let owners = Set(keys.filter(\.isOwners).map(\.teamID))
        guard let key = keys.first(where: { $0.scope == .all && ($0.isOwners ? owners : teams).count > 1 }) else {
            return
        }
        throw GatewayError(
            .badKey,
            "\(key.name): names no apps, and could push to the other teams' apps; add its apps after the file, as in "
                + "\(key.name):FILE:com.example.FindFriends"
        )
    }

    /// Checks that new keys name no app of another team; otherwise they could push to that team's devices.
    ///
    /// Existing keys are not compared with each other, because the gateway must be running to remove one of them.
    ///
    /// - Parameters:
    ///   - keys: the new keys.
    ///   - all: all keys, including the new ones.
    /// - Throws: ``GatewayError`` naming the app, both keys and the remedy.
    static func checkOwners(of keys: [ProviderKey], among all: [ProviderKey]) throws {
        for key in keys where key.isOwners {
            for other in all where other.isOwners && other.teamID != key.teamID {
                guard let app = Set(key.apps).intersection(other.apps).min() else { continue }
                throw GatewayError(
                    .badKey,
                    "\(key.name): names \(app), an app of the team of \(other.name), and an app has one team; leave it out of one of "
                        + "the two"
                )
            }
        }
    }

    /// Checks that no two keys have the same IDs, because one of them would silently not apply.
    ///
    /// An exact repetition, with the same key and apps, is allowed.
    ///
    /// - Throws: ``GatewayError`` naming the IDs.
    static func checkIDs(_ keys: [ProviderKey]) throws {
        for (index, key) in keys.enumerated() {
            guard keys[..<index].contains(where: { $0.name == key.name && !$0.isSame(as: key) }) else { continue }
            throw GatewayError(
                .badKey,
                "\(key.name): is given twice, with different keys or apps; remove one of the two, or name all apps in one"
            )
        }
    }

    /// Whether the key's team owns apps here; a sender of the relay uses the apps of others.
    private var isOwners: Bool { self.relayedADay == nil }

    /// Whether another key with the same IDs has the same public key and apps.
    private func isSame(as other: ProviderKey) -> Bool {
        self.publicKey.rawRepresentation == other.publicKey.rawRepresentation && self.scope == other.scope
    }
}
