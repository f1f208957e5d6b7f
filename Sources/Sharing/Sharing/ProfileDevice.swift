internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// The device of a profile, as its registrations describe it to the server; stored in `device.json`.
///
/// Backups omit this file, so the server treats a restored profile as another device, with its own name, push key and
/// pushes.
struct ProfileDevice: Sendable, Hashable {
    /// The device's ID on the server, when it was chosen, and whether it was removed.
    var standing: DeviceState
    /// The keys that open the device's pushes.
    var keys: PushKeys
    /// The bundle identifier of the app that receives the pushes.
    var topic: String
    /// The app's last token, so that other programs can register the device; empty while sharing is paused.
    var token: [UInt8]
    /// The name that the person chose; empty if none.
    var name = ""

    /// Creates a device that was chosen now, or after the person's other devices if their clocks are ahead.
    init(topic: String, token: [UInt8], _ sealing: any Sealing, after others: [WallTime] = [], now: WallTime) throws {
        var generator = SystemRandomNumberGenerator()
        self.standing = DeviceState(first: DeviceID(using: &generator), after: others, now: now)
        self.keys = PushKeys(try sealing.makeKey(suite: SealedPush.suite))
        self.topic = topic
        self.token = token
    }

    /// Returns the description of this device for a registration: its ID, when it was chosen, its push key, its
    /// encrypted name.
    func registered(by identity: Identity) throws -> RegisteredDevice {
        try RegisteredDevice(
            id: self.standing.id,
            chosen: self.standing.chosen,
            pushKey: self.keys.newest.publicKey,
            sealedName: DeviceName.seal(self.name, of: self.standing.id, by: identity)
        )
    }
}

extension ProfileDevice {
    private struct File: Codable {
        struct Key: Codable {
            let secretKey: String
            let publicKey: String
            /// When the server confirmed the key; absent before.
            let registered: Int64?

            init(_ entry: PushKeys.Entry) {
                self.secretKey = Base64URL.text(of: entry.key.secret)
                self.publicKey = Base64URL.text(of: entry.key.publicKey)
                self.registered = entry.registered?.milliseconds
            }

            var entry: PushKeys.Entry? {
                guard let secret = Base64URL.bytes(of: self.secretKey), secret.count == 32,
                    let publicKey = Base64URL.bytes(of: self.publicKey),
                    publicKey.count == RegisteredDevice.pushKeyByteCount
                else { return nil }
                let key = RequestKey(suite: SealedPush.suite, publicKey: publicKey, secret: secret)
                return PushKeys.Entry(key: key, registered: self.registered.map(WallTime.init(milliseconds:)))
            }
        }

        let id: String
        let keys: [Key]
        let chosen: Int64
        let topic: String
        let token: String
        let name: String
        let isRemoved: Bool
    }

    /// Reads ``json``.
    init(json: [UInt8]) throws {
        let file = try JSONReader().decode(File.self, from: Data(json))
        let entries = file.keys.compactMap(\.entry)
        guard let id = DeviceID(file.id), let token = Base64URL.bytes(of: file.token),
            entries.count == file.keys.count, let keys = PushKeys(restoring: entries)
        else {
            throw SharingError(
                .badProfile,
                "expected an ID of 32 digits, one or two pairs of 32-byte keys, and a token"
            )
        }
        let chosen = WallTime(milliseconds: file.chosen)
        self.standing = DeviceState(id: id, chosen: chosen, isRemoved: file.isRemoved)
        self.keys = keys
        self.topic = file.topic
        self.token = token
        self.name = file.name
    }

    /// The bytes of the file.
    var json: [UInt8] {
        get throws {
            let file = File(
                id: self.standing.id.description,
                keys: self.keys.entries.map(File.Key.init),
                chosen: self.standing.chosen.milliseconds,
                topic: self.topic,
                token: Base64URL.text(of: self.token),
                name: self.name,
                isRemoved: self.standing.isRemoved
            )
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try [UInt8](encoder.encode(file)) + [0x0A]
        }
    }
}
