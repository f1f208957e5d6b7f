internal import APNS
internal import Foundation
public import PushEngine
internal import Synchronization
internal import Vocabulary

/// The questions and orders of an operator.
extension PushGateway {
    /// The most devices of one answer.
    public static let listedDevicesMax = 1000

    /// Returns the gateway's state.
    ///
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway ends.
    public func status() async throws -> GatewayStatus {
        let connected = try await self.host.read { _, gateway in gateway.connectedCount }
        return GatewayStatus(
            isReady: self.isReady,
            providers: self.listeners[0].connections.count,
            devices: connected,
            keys: self.keyring.names
        )
    }

    /// Whether pushes are taken.
    public var isReady: Bool { self.host.isStoreWell && !self.isStopping.load(ordering: .relaxed) }

    /// Returns the lives of the newest pushes with an `apns-id`, the oldest first; providers may repeat one.
    ///
    /// - Throws: ``PushEngine/Rejection`` when the gateway ends.
    public func trace(apnsID: String) async throws -> [PushTrace] {
        let now = self.now()
        let lives = try await self.host.read { _, gateway in gateway.history.lives(ofAPNSID: apnsID) }
        return lives.map { life in
            let ending = life.ending(now: now)
            return PushTrace(
                apnsID: life.apnsID,
                topic: life.topic,
                acceptedAt: Date(life.acceptedAt),
                deliveredAt: life.deliveredAt.map { Date($0) },
                end: ending?.end.rawValue,
                endedAt: (ending?.at).map { Date($0) }
            )
        }
    }

    /// Returns devices with their topics, in the order of their keys.
    ///
    /// - Parameter key: the last key of the list before; nil: from the first one on.
    /// - Returns: at most ``listedDevicesMax`` of them.
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway ends.
    public func devices(after key: DeviceKey? = nil) async throws -> [DeviceSummary] {
        try await self.host.read { store, gateway in
            try store.devices(after: key, limit: Self.listedDevicesMax).map { key in
                DeviceSummary(
                    key: Hex.text(of: key.bytes),
                    isConnected: gateway.isConnected(key),
                    topics: try store.registeredTokens(of: key).map(\.topic),
                    waiting: try store.pushes(of: key).count
                )
            }
        }
    }

    /// Removes a device: its tokens end, and what waits for it.
    ///
    /// A device that is there still comes again, and gets new tokens.
    ///
    /// - Throws: ``PushEngine/Rejection`` when the store does not take it, or the gateway ends.
    public func remove(_ device: DeviceKey) async throws {
        try await self.host.remove(device)
    }

    /// Takes other provider keys in place of those before, on connections that are open, too.
    ///
    /// - Throws: ``GatewayError`` naming the key that cannot be used with the others; those before stay in force.
    public func exchangeKeys(_ keys: [ProviderKey]) throws {
        try ProviderKey.check(keys)
        self.keyring.exchange(keys)
    }
}

extension Date {
    fileprivate init(_ time: WallTime) {
        self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
}
