internal import Crypto
internal import WhereaboutsPushEngine

/// The rules for keys that are used together.
extension ProviderKey {
    /// Checks that keys name their apps: those of one team may push to every app, those of several to their own.
    ///
    /// A sender of the relay's is a guest among the vendor's apps, and brings none along: a vendor's key need not name apps for its
    /// sake, and the sender's own must, or it could push to all of the vendor's devices.
    ///
    /// - Throws: ``GatewayError`` naming the key that says no apps.
    static func checkApps(_ keys: [ProviderKey]) throws {
        let teams = Set(keys.map(\.teamID))
        let owners = Set(keys.filter(\.isOwners).map(\.teamID))
        guard let key = keys.first(where: { $0.scope == .all && ($0.isOwners ? owners : teams).count > 1 }) else {
            return
        }
        throw GatewayError(
            .badKey,
            "\(key.name): names no apps, and could push to those of the other teams; add them after the file, as in "
                + "\(key.name):FILE:com.example.FindFriends"
        )
    }

    /// Checks that new keys name no app of another team, whose devices they could push to.
    ///
    /// Keys that are there already are not held against each other: the gateway must start for one to be removed.
    ///
    /// - Parameters:
    ///   - keys: the new keys.
    ///   - all: all keys, these among them.
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
    /// The same key twice, for the same apps, is one.
    ///
    /// - Throws: ``GatewayError`` naming the ids.
    static func checkIDs(_ keys: [ProviderKey]) throws {
        for (index, key) in keys.enumerated() {
            guard keys[..<index].contains(where: { $0.name == key.name && !$0.isSame(as: key) }) else { continue }
            throw GatewayError(
                .badKey,
                "\(key.name): is given twice, with different keys or apps; leave one of the two out, or name all apps in one"
            )
        }
    }

    /// Whether the key's team owns apps here; a sender of the relay uses the apps of others.
    private var isOwners: Bool { self.relayedADay == nil }

    /// Whether a key with the same ids is this one, for the same apps.
    private func isSame(as other: ProviderKey) -> Bool {
        self.publicKey.rawRepresentation == other.publicKey.rawRepresentation && self.scope == other.scope
    }
}
