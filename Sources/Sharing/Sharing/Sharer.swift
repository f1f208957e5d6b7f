public import Foundation
internal import WhereaboutsVocabulary

/// The sharer's side: approves, revokes, and answers from its device.
public struct Sharer: Sendable {
    /// The sharer's profile.
    public let profile: SharingProfile
    let server: ServerConnection
    let sealing: any Sealing
    let policy: SharingPolicy

    /// Creates a sharer.
    ///
    /// - Parameters:
    ///   - profile: the sharer's profile.
    ///   - sealing: how answers are sealed.
    ///   - policy: the numbers by which the device checks requests.
    ///   - transport: sends requests to the profile's server; HTTPS, if not given.
    /// - Throws: ``SharingError`` when the trust roots cannot be read.
    public init(
        profile: SharingProfile,
        sealing: any Sealing = HPKESealing(),
        policy: SharingPolicy = SharingPolicy(),
        transport: (any ServerTransport)? = nil
    ) throws {
        self.profile = profile
        self.server = try ServerConnection(settings: profile.settings, transport: transport)
        self.sealing = sealing
        self.policy = policy
    }

    /// Registers the device's token and push key with the server.
    ///
    /// Creates the device's own push key if the profile has none.
    ///
    /// - Parameters:
    ///   - deviceToken: as `startMonitoringLocationPushes` gave it.
    ///   - topic: the bundle identifier of the app, without `.location-query`.
    /// If the person removed this device, this method throws; the device answers nothing until ``answerHere()`` adds it again.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses, or the device was removed.
    public func register(deviceToken: Data, topic: String) async throws {
        // The first registration must have a later time than all that the server has, even those dated by a wrong clock or
        // sent by this device before it lost its file.
        let others = try self.profile.deviceFile.device() == nil ? try await self.devicesBefore() : []
        // Read the time before the device: if another process changes the device meanwhile, its message has the later time.
        let issued = try self.profile.deviceFile.nextRegistrationTime(after: others.map(\.registered), now: .now)
        let token = [UInt8](deviceToken)
        let device = try self.profile.deviceFile.device(
            for: topic,
            token: token,
            self.sealing,
            after: others.map(\.chosen),
            now: issued
        )
        let response = try await self.tell(device, issued: issued)
        guard response.status != 410 else { throw DeviceFile.removed }
        guard (200..<300).contains(response.status) else { throw self.server.rejected(response) }
        await self.remindServer(isRegistered: true)
        // Update the groups here, because the app contacts the server regularly for nothing else.
        try? await self.tendGroups()
    }

    /// Notifies the server that the device accepts no location pushes; requesters are notified that sharing is paused.
    ///
    /// - Parameter topic: the bundle identifier of the app, without `.location-query`.
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses.
    public func pause(topic: String) async throws {
        try await self.register(deviceToken: Data(), topic: topic)
    }

    /// Allows a requester to ask, and stores a copy of the grant.
    ///
    /// - Parameters:
    ///   - requester: the person who may ask; compare their safety number first.
    ///   - precision: the most exact answer allowed.
    ///   - duration: for how long, from now.
    ///   - interval: the least time between two requests; whole seconds.
    ///   - limits: the hours of the day in which the grant can be used, and how often.
    /// - Returns: the grant, to be handed to the requester.
    /// - Throws: ``SharingError`` when the grant would allow nothing, or cannot be stored.
    public func approve(
        requester: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration = .zero,
        limits: GrantLimits = GrantLimits()
    ) throws -> Signed<Grant> {
        try self.approve(
            requester: requester,
            precision: precision,
            for: duration,
            atMostEvery: interval,
            limits: limits,
            now: .now
        )
    }

    func approve(
        requester: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration,
        limits: GrantLimits,
        now: WallTime
    ) throws -> Signed<Grant> {
        let grant = try self.signedGrant(
            requester: requester,
            precision: precision,
            for: duration,
            atMostEvery: interval,
            limits: limits,
            now: now
        )
        try self.profile.grantFiles.record(grant)
        return grant
    }

    /// Signs a grant without storing it.
    func signedGrant(
        requester: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration,
        limits: GrantLimits,
        now: WallTime
    ) throws -> Signed<Grant> {
        var generator = SystemRandomNumberGenerator()
        return try self.profile.identity.sign(
            Grant(
                to: requester,
                by: self.profile.identity.publicIdentity,
                precision: precision,
                for: duration,
                atMostEvery: interval,
                limits: limits,
                using: &generator,
                now: now
            )
        )
    }

    /// Revokes a grant: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` with the code `notForUs` when the grant is another sharer's. With any other code the device
    ///   refuses already, but the server does not know yet: call again.
    public func revoke(_ grant: Signed<Grant>) async throws {
        let revocation = try self.refuse(grant)
        try await self.post("/v1/revocations", revocation)
        // The revocation also ends live shares on the server; an unconfirmed end is sent again later.
        _ = try? await self.sayEnds()
    }

    /// Revokes a grant on this device only; ``revoke(_:)`` also notifies the server.
    ///
    /// - Throws: ``SharingError`` when the grant is another sharer's, or the revocation cannot be written.
    @discardableResult
    package func refuse(_ grant: Signed<Grant>) throws -> Revocation {
        guard grant.value.sharer == self.profile.identity.publicIdentity else {
            throw SharingError(
                .notForUs,
                "the grant \(grant.value.id) was issued by someone else: only its sharer can revoke it; "
                    + "use the profile that issued it"
            )
        }
        let revocation = Revocation(of: grant.value)
        try self.profile.grantFiles.record(self.profile.identity.sign(revocation))
        for schedule in self.profile.followings.schedules(now: .now)
        where schedule.value.grant.value.id == grant.value.id {
            _ = try? self.profile.followings.end(schedule.value, .revoked, now: .now)
        }
        return revocation
    }

    @discardableResult
    func post(_ path: String, _ value: some Signable) async throws -> [UInt8] {
        let response = try await self.server.post(path, self.profile.identity.sign(value).bytes)
        await self.remindServer()
        guard (200..<300).contains(response.status) else { throw self.server.rejected(response) }
        return response.body
    }
}
