public import Foundation
internal import WhereaboutsPushEngine

/// A gateway as an operator sees it.
public struct GatewayStatus: Codable, Sendable, Hashable {
    /// Whether pushes are taken: changes come to disk, and the gateway is not stopping.
    public let isReady: Bool
    /// The connections of providers.
    public let providers: Int
    /// The devices that are connected.
    public let devices: Int
    /// The provider keys in force, as `TEAM:KEY`, in their order.
    public let keys: [String]
    /// The apps whose pushes go to Apple, in their order; none: the gateway is no relay.
    public let relayed: [RelayedApp]
}

/// An app whose pushes the relay sends to Apple, as an operator sees it.
public struct RelayedApp: Codable, Sendable, Hashable {
    /// Its bundle identifier.
    public let app: String
    /// Apple's word on the vendor's key for it: `taken`, `refused`, or `silent` when Apple did not answer or was not reached; nil: no push of it has
    /// ended since the gateway's start.
    public let key: String?
    /// Apple's reason, when it refused the key.
    public let reason: String?
    /// When the latest push ended.
    public let at: Date?
}

/// One push as an operator sees it.
public struct PushTrace: Codable, Sendable, Hashable {
    /// The most pushes that a gateway remembers.
    public static let rememberedCount = PushHistory.pushesMax

    /// The provider's name of it.
    public let apnsID: String
    /// The topic it is for.
    public let topic: String
    /// When it was on disk; nil: the relay sent it, and Apple accepts it or not.
    public let acceptedAt: Date?
    /// When it was sent to its device the last time; nil while it waits, and of one that the relay sent.
    public let deliveredAt: Date?
    /// When the relay sent it to Apple, or could not, if its end is unsent; nil: it was for a device of this gateway.
    public let relayedAt: Date?
    /// How it ended: acknowledged, replaced, expired, undeliverable or unregistered, or unanswered if it was for one attempt; for one
    /// that the relay sent relayed, rejected, unanswered or unsent; nil while it waits.
    public let end: String?
    /// Apple's reason, for one that it rejected, or the one that it would have had.
    public let reason: String?
    /// When it ended.
    public let endedAt: Date?
}

/// A provider key as an operator sees it.
public struct KeySummary: Codable, Sendable, Hashable {
    /// The team that owns it.
    public let teamID: String
    /// Its id.
    public let keyID: String
    /// The apps that it may push to; none: all there are.
    public let apps: [String]
    /// Whether an operator added it, and can remove it.
    public let isKept: Bool
    /// The pushes that the relay sends for it in a day; nil: it sends none.
    public let relayedADay: Int?
    /// The apps for which the relay sends its pushes; none, though it is a sender's: this gateway relays none of its apps.
    public let relayedApps: [String]
}

/// One device token as an operator sees it.
public struct TokenSummary: Codable, Sendable, Hashable {
    /// The token, in hexadecimal digits.
    public let token: String
    /// The topic that it is for.
    public let topic: String
    /// When a push was admitted for it, or its device confirmed it, to the day.
    public let usedAt: Date
}

/// One device as an operator sees it.
public struct DeviceSummary: Codable, Sendable, Hashable {
    /// Its key, in hexadecimal digits.
    public let key: String
    /// Whether it is connected now.
    public let isConnected: Bool
    /// The topics it has tokens for, in the order of their tokens.
    public let topics: [String]
    /// The number of pushes that wait for it.
    public let waiting: Int
}
