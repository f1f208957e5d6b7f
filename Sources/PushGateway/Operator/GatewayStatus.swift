public import Foundation
internal import PushEngine

/// A gateway as an operator sees it.
public struct GatewayStatus: Codable, Sendable, Hashable {
    /// Whether pushes are taken: the last transaction came to disk, and the gateway is not stopping.
    public let isReady: Bool
    /// The connections of providers.
    public let providers: Int
    /// The devices that are connected.
    public let devices: Int
    /// The provider keys in force, as `TEAM:KEY`, in their order.
    public let keys: [String]
}

/// One push as an operator sees it.
public struct PushTrace: Codable, Sendable, Hashable {
    /// The most pushes that a gateway remembers.
    public static let rememberedCount = PushHistory.pushesMax

    /// The provider's name of it.
    public let apnsID: String
    /// The topic it is for.
    public let topic: String
    /// When it was on disk.
    public let acceptedAt: Date
    /// When it was sent to its device the last time; nil while it waits.
    public let deliveredAt: Date?
    /// How it ended: acknowledged, replaced, expired, undeliverable or unregistered; nil while it waits.
    public let end: String?
    /// When it ended.
    public let endedAt: Date?
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
