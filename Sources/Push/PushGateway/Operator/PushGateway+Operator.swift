internal import Foundation
internal import Logging
internal import Synchronization
public import WhereaboutsAPNS
public import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The operations for an operator.
extension PushGateway {
    /// The maximum number of devices in one answer.
    public static let listedDevicesMax = 1000

    /// Returns the gateway's state.
    ///
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway stops.
    public func status() async throws -> GatewayStatus {
        let (connected, relay) = try await self.host.read { _, gateway in (gateway.connectedCount, gateway.relay) }
        return GatewayStatus(
            isReady: self.isReady,
            providers: self.listeners[0].connections.count,
            devices: connected,
            keys: self.keyring.names,
            relayed: relay.apps.sorted().map { RelayedApp($0, relay.standing(of: $0)) }
        )
    }

    /// Whether pushes are accepted.
    public var isReady: Bool { self.host.isStoreWell && !self.isStopping.load(ordering: .relaxed) }

    /// Returns the histories of the newest pushes with an `apns-id`, the oldest first; providers may repeat an ID.
    ///
    /// - Throws: ``PushEngine/Rejection`` when the gateway stops.
    public func trace(apnsID: String) async throws -> [PushTrace] {
        let now = self.now()
        let lives = try await self.host.read { _, gateway in gateway.history.lives(ofAPNSID: apnsID) }
        return lives.map { life in
            let ending = life.ending(now: now)
            return PushTrace(
                apnsID: life.apnsID,
                topic: life.topic,
                acceptedAt: life.isRelayed ? nil : Date(life.acceptedAt),
                deliveredAt: life.deliveredAt.map { Date($0) },
                relayedAt: life.isRelayed ? Date(life.acceptedAt) : nil,
                end: ending?.end.rawValue,
                reason: ending?.reason?.rawValue,
                endedAt: (ending?.at).map { Date($0) }
            )
        }
    }

    /// Returns devices with their topics, in the order of their keys.
    ///
    /// - Parameter key: the last key of the previous list; nil to begin with the first device.
    /// - Returns: at most ``listedDevicesMax`` devices.
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway stops.
    public func devices(after key: DeviceKey? = nil) async throws -> [DeviceSummary] {
        let now = self.now()
        return try await self.host.read { store, gateway in
            try store.devices(after: key, limit: Self.listedDevicesMax).map { key in
                DeviceSummary(
                    key: Hex.text(of: key.bytes),
                    isConnected: gateway.isConnected(key),
                    topics: try store.registeredTokens(of: key).map(\.topic),
                    waiting: try store.pushes(of: key).count { !$0.isExpired(now: now) }
                )
            }
        }
    }

    /// Removes a device, its tokens and its waiting pushes.
    ///
    /// A connected device reconnects, and gets new tokens.
    ///
    /// - Throws: ``PushEngine/Rejection`` when it is not connected and has no tokens, the store fails, or the gateway stops.
    public func remove(_ device: DeviceKey) async throws {
        try await self.host.remove(.device(device))
        self.logger.notice("an operator removed a device, its tokens and its waiting pushes")
        self.logger.debug("the device that was removed", metadata: ["device": "\(Hex.text(of: device.bytes))"])
    }

    /// Removes a token: providers get 410, and the waiting pushes of its topic are deleted.
    ///
    /// A connected device reconnects, and registers its topics again.
    ///
    /// - Throws: ``PushEngine/Rejection`` when the token is not registered, the store fails, or the gateway stops.
    public func remove(_ token: DeviceToken) async throws {
        try await self.host.remove(.token(token))
        self.logger.notice("an operator removed a device's token and its waiting push")
    }

    /// Returns the registered tokens of a device, in the order of their bytes.
    ///
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway stops.
    public func tokens(of device: DeviceKey) async throws -> [TokenSummary] {
        try await self.host.read { store, _ in
            try store.registeredTokens(of: device).map { record in
                TokenSummary(token: record.token.hex, topic: record.topic, usedAt: Date(record.usedAt))
            }
        }
    }

    /// Replaces the configured provider keys, also for open connections; the operator's keys stay.
    ///
    /// - Returns: a warning for the operator, if any.
    /// - Throws: ``GatewayError`` naming the key that cannot be used with the others; the previous keys stay in force.
    @discardableResult
    public func exchangeKeys(_ keys: [ProviderKey]) throws -> String? {
        try self.keyring.exchange(keys)
        return self.keyring.warning
    }

    /// The configured and the added provider keys.
    public var keys: [KeySummary] {
        self.keyring.keys.map { key, isKept in
            KeySummary(
                teamID: key.teamID,
                keyID: key.keyID,
                apps: key.apps,
                isKept: isKept,
                relayedADay: key.relayedADay,
                relayedApps: key.relayedApps(among: self.relayedApps)
            )
        }
    }

    /// Adds a provider key durably, replacing one with the same team and ID, also for open connections.
    ///
    /// - Returns: a warning for the operator about what the key does not do, if any.
    /// - Throws: ``GatewayError`` naming the mistake; nothing has changed then.
    @discardableResult
    public func add(_ key: ProviderKey) throws -> String? {
        if key.relayedADay != nil { try key.checkRelayed(among: self.relayedApps) }
        let before = try self.added(key)
        self.logger.notice(
            "an operator added a provider key",
            metadata: [
                "apps": "\(key.apps.joined(separator: ","))",
                "relayed": "\(key.relayedADay.map { "\($0) a day" } ?? "no")", "replaces": "\(before != nil)",
            ]
        )
        self.logger.debug("the key that was added", metadata: ["key": "\(key.name)"])
        if key.relayedADay != nil {
            let others = Set(key.apps).subtracting(self.relayedApps).sorted().joined(separator: ", ")
            return others.isEmpty
                ? nil : "no push goes to Apple for \(others): no --relay of this gateway names it"
        }
        return before?.relayedADay.map {
            "\(key.name) could send \($0) pushes a day through the relay, and can send none now: add it again with --relay to allow it"
        }
    }

    /// Adds a key; the error for a possible sender's key explains how to add one.
    private func added(_ key: ProviderKey) throws -> ProviderKey? {
        let isGiven = self.keyring.keys.contains { $0.key.name == key.name && !$0.isKept }
        do {
            return try self.keyring.add(key)
        } catch let error as GatewayError where key.relayedADay == nil && !isGiven && !self.relayedApps.isEmpty {
            throw GatewayError(error.code, "\(error.message); to add a sender of the relay, give --relay COUNT")
        }
    }

    /// Returns the relay's senders with their accounts, sorted by name, including senders with removed keys, as long as
    /// their accounts exist.
    ///
    /// - Throws: the store's error, or ``PushEngine/Rejection`` when the gateway stops.
    public func senders() async throws -> [SenderReport] {
        try await self.host.senders(keys: self.keyring.inForce.map { SenderKey($0) })
    }

    /// Removes an added provider key, or all added keys of a team if no ID is given.
    ///
    /// - Returns: a warning if configured keys with these IDs stay in force; nil otherwise.
    /// - Throws: ``GatewayError`` when there is no such key; nothing has changed then.
    @discardableResult
    public func removeKeys(teamID: String, keyID: String?) throws -> String? {
        let left = try self.keyring.remove(teamID: teamID, keyID: keyID)
        self.logger.notice(
            "an operator removed provider keys",
            metadata: ["keys": "\(keyID == nil ? "all of a team" : "1")", "given": "\(left.count)"]
        )
        self.logger.debug("the keys that were removed", metadata: ["keys": "\(teamID):\(keyID ?? "all")"])
        return left.isEmpty
            ? nil : "still in force, as --key or --keys gives it: \(left.joined(separator: ", ")); remove it there"
    }
}

extension RelayedApp {
    fileprivate init(_ app: String, _ standing: VendorKeyState?) {
        self.app = app
        self.at = (standing?.at).map { Date($0) }
        switch standing?.answer {
        case nil: (self.key, self.reason) = (nil, nil)
        case .taken?: (self.key, self.reason) = ("taken", nil)
        case .refused(let reason)?: (self.key, self.reason) = ("refused", reason.rawValue)
        case .silence?: (self.key, self.reason) = ("silent", nil)
        }
    }
}

extension Date {
    fileprivate init(_ time: WallTime) {
        self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
}
