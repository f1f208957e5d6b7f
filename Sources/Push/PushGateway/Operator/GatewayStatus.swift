public import Foundation
internal import WhereaboutsPushEngine

/// The state of a gateway, for an operator.
public struct GatewayStatus: Codable, Sendable, Hashable {
    /// Whether pushes are accepted: the store works, and the gateway is not stopping.
    public let isReady: Bool
    /// The connections of providers.
    public let providers: Int
    /// The devices that are connected.
    public let devices: Int
    /// The provider keys in force, as `TEAM:KEY`, in their order.
    public let keys: [String]
    /// The relayed apps, sorted; empty: the gateway is not a relay.
    public let relayed: [RelayedApp]
}

/// A relayed app, for an operator.
public struct RelayedApp: Codable, Sendable, Hashable {
    /// The app's bundle identifier.
    public let app: String
    /// Apple's verdict on the vendor's key for it: `taken`, `refused`, or `silent` when Apple did not answer or was not
    /// reached; nil: no push of it has ended since the gateway's start.
    public let key: String?
    /// Apple's reason, when it refused the key.
    public let reason: String?
    /// When the latest push ended.
    public let at: Date?
}

/// One push, for an operator.
public struct PushTrace: Codable, Sendable, Hashable {
    /// The most pushes that a gateway remembers.
    public static let rememberedCount = PushHistory.pushesMax

    /// The provider's ID of the push.
    public let apnsID: String
    /// The topic it is for.
    public let topic: String
    /// When the push was on disk; nil for a relayed push.
    public let acceptedAt: Date?
    /// When the push was last sent to its device; nil while it waits, and for a relayed push.
    public let deliveredAt: Date?
    /// When it was sent to Apple, or could not be, if its outcome is unsent; nil: it was for a device of this gateway.
    public let relayedAt: Date?
    /// Its outcome: acknowledged, replaced, expired, undeliverable or unregistered, or unanswered if it was for one
    /// attempt; of a relayed push: relayed, rejected, unanswered or unsent; nil while it waits.
    public let end: String?
    /// Apple's reason for a rejection, or the expected one.
    public let reason: String?
    /// When it ended.
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
    /// The topics it has tokens for, in the order of their tokens.
    public let topics: [String]
    /// The number of its waiting pushes.
    public let waiting: Int
}
