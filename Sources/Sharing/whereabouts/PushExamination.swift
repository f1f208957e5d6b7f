internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsJSONReading

/// Checks each part of a push before it is sent, for `whereabouts push --check`.
///
/// A server cannot see most of these mistakes: APNs answers 200 to a push that starts no extension.
struct PushExamination {
    /// A part of the push, and the result of its check.
    struct Finding: Encodable, Hashable {
        /// The part: `key`, `team`, `topic`, `environment`, `token`, `type`, `priority` or `payload`.
        let part: String
        let isGood: Bool
        /// The value, and the rule that it breaks, with the remedy.
        let words: String
    }

    let push: Push
    let endpoint: Endpoint
    /// The key's file, and the IDs of key and team.
    let keyPath: String
    let keyID: String
    let teamID: String
    /// Whether the push goes to a device token that does not exist.
    let isForNobody: Bool

    /// The findings, one for each part.
    var findings: [Finding] {
        [self.key, self.team, self.topic, self.environment, self.token, self.type, self.priority, self.payload]
    }

    private static func good(_ part: String, _ words: String) -> Finding {
        Finding(part: part, isGood: true, words: words)
    }

    private static func odd(_ part: String, _ words: String) -> Finding {
        Finding(part: part, isGood: false, words: words)
    }

    private var key: Finding {
        let name = URL(filePath: self.keyPath).deletingPathExtension().lastPathComponent
        let parts = name.split(separator: "_")
        // Apple names the file after the key.
        if parts.count == 2, parts[0] == "AuthKey", SigningKey.isID(String(parts[1])), parts[1] != self.keyID {
            return Self.odd(
                "key",
                "the file is named after key \(parts[1]), but --key-id is \(self.keyID); give the ID and the file of the same key"
            )
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: self.keyPath)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            return Self.odd("key", "\(self.keyPath) is readable by other users; run `chmod 600` on it")
        }
        return Self.good("key", "P-256 key \(self.keyID); the server decides whether it knows it")
    }

    private var team: Finding {
        // Our gateway accepts any IDs.
        self.teamID == self.keyID && self.endpoint.environment != nil
            ? Self.odd(
                "team",
                "\(self.teamID) is also the key ID; the team ID stands under Membership in Apple's developer account"
            )
            : Self.good("team", self.teamID)
    }

    private var topic: Finding {
        let app = self.push.bundleIdentifier
        let suffix = PushType.location.topic(bundleIdentifier: "")
        if app.hasSuffix(suffix) {
            return Self.odd(
                "topic",
                "\(self.push.topic): --app has the suffix \(suffix) already, which --type adds; leave it out"
            )
        }
        if let last = app.split(separator: ".").last?.lowercased(), last.contains("push") || last.contains("extension")
        {
            return Self.odd(
                "topic",
                "\(self.push.topic): \(app) looks like the extension; give the app's bundle identifier"
            )
        }
        return Self.good("topic", self.push.topic)
    }

    private var environment: Finding {
        switch self.endpoint.environment {
        case .production?:
            Self.good("environment", "production: apps from the App Store, TestFlight and ad-hoc archives")
        case .development?: Self.good("environment", "development: apps that Xcode put on the device")
        case nil:
            Self.good("environment", "\(self.endpoint.host):\(self.endpoint.port): tokens that this gateway issued")
        }
    }

    private var token: Finding {
        guard !self.isForNobody else {
            return Self.good("token", "no device has this token; give --token to check one of your own")
        }
        let bytes = self.push.token.bytes
        let digits = Set("0123456789abcdefABCDEF".utf8)
        if bytes.count >= 32, bytes.allSatisfy(digits.contains) {
            return Self.odd(
                "token",
                "its bytes are hexadecimal digits, so the token was encoded twice; encode its bytes once"
            )
        }
        if bytes.allSatisfy({ $0 == 0 }) {
            return Self.odd("token", "all zeros; the app's token comes from startMonitoringLocationPushes")
        }
        if bytes.count < 32, self.endpoint.environment != nil {
            return Self.odd("token", "\(bytes.count) bytes, and Apple's have at least 32 so far; it may be cut off")
        }
        return Self.good(
            "token",
            "\(bytes.count) bytes; it must come from startMonitoringLocationPushes, not from the app's registration for alerts"
        )
    }

    private var type: Finding {
        self.push.type == .location
            ? Self.good("type", "location")
            : Self.odd("type", "\(self.push.type.rawValue): only location starts the location push extension")
    }

    private var priority: Finding {
        self.push.priority == .immediate
            ? Self.good("priority", "10")
            : Self.odd("priority", "\(self.push.priority.rawValue): the device may wait; 10 asks for an answer now")
    }

    private var payload: Finding {
        let bytes = self.push.payload.bytes
        let size = "\(bytes.count) of \(self.push.type.payloadBytesMax) bytes"
        struct Content: Decodable {
            struct APS: Decodable {
                let hasAlert: Bool

                init(from decoder: any Decoder) throws {
                    let keys = try decoder.container(keyedBy: Key.self)
                    self.hasAlert = [.alert, .sound, .badge].contains { keys.contains($0) }
                }

                enum Key: String, CodingKey { case alert, sound, badge }
            }

            let aps: APS?
        }
        let content = try? JSONReader().decode(Content.self, from: Data(bytes))
        if self.push.type == .location, content?.aps?.hasAlert == true {
            return Self.odd("payload", "\(size); aps has an alert, which a location push never shows; leave it out")
        }
        return Self.good("payload", size)
    }

    // MARK: Meaning

    /// The facts that an accepted push does not prove, each with the place where it can be checked.
    var unproven: [String] {
        let delivery =
            "that a device received it: 200 means that the server will try, and APNs also says 200 to a wrong type, a spent budget "
            + "and a device that is off"
        let extensionRan =
            "that the extension ran and answered: it needs Always, a CLServiceSession, and an unlocked keychain (docs/ios.md)"
        guard self.isForNobody else { return [delivery, extensionRan] }
        return [
            "that your device's token is good, and of this environment: give --token", delivery, extensionRan,
        ]
    }
}
