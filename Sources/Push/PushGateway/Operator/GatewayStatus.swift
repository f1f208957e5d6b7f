public import Foundation
internal import WhereaboutsPushEngine

/// The state of a gateway, for an operator.
public struct GatewayStatus: Codable, Sendable, Hashable {
    /// Whether pushes are accepted: the store works, and the gateway is not stopping.
    public let isReady: Bool
    /// The number of providers' connections.
    public let providers: Int
    /// The number of connected devices.
    public let devices: Int
    /// The provider keys in force, as `TEAM:KEY`, sorted.
    public let keys: [String]
    /// The relayed apps, sorted; empty: the gateway is not a relay.
    public let relayed: [RelayedApp]
}

/// A relayed app, for an operator.
public struct RelayedApp: Codable, Sendable, Hashable {
    /// The app's bundle identifier.
    public let app: String
    /// Apple's verdict on the vendor's key for the app: `taken`, `refused`, or `silent` when Apple did not answer or was
    /// not reached; nil if no push for the app has ended since the gateway's start.
    public let key: String?
    /// Apple's reason, when it refused the key.
    public let reason: String?
    /// When the latest push for the app ended.
    public let at: Date?
}

/// One push, for an operator.
public struct PushTrace: Codable, Sendable, Hashable {
    /// The maximum number of pushes that a gateway remembers.
    public static let rememberedCount = PushHistory.pushesMax

    /// The provider's ID of the push.
    public let apnsID: String
    /// The topic of the push.
    public let topic: String
    /// When the push was on disk; nil for a relayed push.
    public let acceptedAt: Date?
    /// When the push was last sent to its device; nil while it waits, and for a relayed push.
    public let deliveredAt: Date?
    /// When the push was sent to Apple, or failed to be sent if `end` is unsent; nil if it is for a device of this gateway.
    public let relayedAt: Date?
    /// The outcome: acknowledged, replaced, expired, undeliverable, unregistered, or unanswered for one attempt; for a
    /// relayed push: relayed, rejected, unanswered or unsent; nil while the push waits.
    public let end: String?
    /// Apple's reason for a rejection, or the reason that Apple would have given.
    public let reason: String?
    /// When the push ended.
    public let endedAt: Date?
}

/// A provider key, for an operator.
public struct KeySummary: Codable, Sendable, Hashable {
    /// The team that owns the key.
    public let teamID: String
    /// The key ID.
    public let keyID: String
    /// The apps that the key may push to; empty: all apps.
    public let apps: [String]
    /// Whether an operator added the key, and can remove it.
    public let isKept: Bool
    /// The number of pushes relayed with this key in a day; nil if the key is not a sender's.
    public let relayedADay: Int?
    /// The apps whose pushes are relayed with this key; empty also for a sender if this gateway relays none of its apps.
    public let relayedApps: [String]
}

/// One device token, for an operator.
public struct TokenSummary: Codable, Sendable, Hashable {
    /// The token, in hexadecimal digits.
    public let token: String
    /// The topic of the token.
    public let topic: String
    /// The day when a push last used the token, or its device confirmed it.
    public let usedAt: Date
}

/// One device, for an operator.
public struct DeviceSummary: Codable, Sendable, Hashable {
    /// The device's key, in hexadecimal digits.
    public let key: String
    /// Whether the device is connected now.
    public let isConnected: Bool
    /// The topics of the device's tokens, in the order of the tokens.
    public let topics: [String]
    /// The number of pushes that wait for the device.
    public let waiting: Int
}
