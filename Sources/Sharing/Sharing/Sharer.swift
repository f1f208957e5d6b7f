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
    /// Creates the device's own push key if the profile has none. If the person removed this device, this method throws; the
    /// device answers no requests until ``answerHere()`` adds it again.
    ///
    /// - Parameters:
    ///   - deviceToken: the token that `startMonitoringLocationPushes` returned.
    ///   - topic: the bundle identifier of the app, without `.location-query`.
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
        let response = try await self.messages.register(device, issued: issued)
        guard response.status != 410 else { throw DeviceFile.removed }
        try self.server.accepted(response)
        await self.messages.remind(isRegistered: true)
        // Update the groups here, because the app contacts the server regularly for nothing else.
        try? await self.groups.tend()
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
    ///   - duration: how long the grant is valid, from now.
    ///   - interval: the minimum time between two requests; whole seconds.
    ///   - limits: the hours of the day in which the grant can be used, and how often.
    /// - Returns: the grant, to send to the requester.
    /// - Throws: ``SharingError`` when the grant would allow nothing, or cannot be stored.
    public func approve(
        requester: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration = .zero,
        limits: GrantLimits = GrantLimits()
    ) throws -> Signed<Grant> {
        let grant = try self.givenGrants.signed(
            requester: requester,
            precision: precision,
            for: duration,
            atMostEvery: interval,
            limits: limits,
            now: .now
        )
        try self.profile.grantFiles.record(grant)
        return grant
    }

    /// Revokes a grant: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` with the code `notForUs` when the grant is another sharer's. With any other code the device
    ///   refuses already, but the server does not know yet: call again.
    public func revoke(_ grant: Signed<Grant>) async throws {
        try await self.givenGrants.revoke([grant])
    }

    /// Revokes a grant on this device only; ``revoke(_:)`` also notifies the server.
    ///
    /// - Throws: ``SharingError`` when the grant is another sharer's, or the revocation cannot be written.
    package func refuse(_ grant: Signed<Grant>) throws { try self.givenGrants.refuse(grant) }

    // The parts: each gets the files and the messages that it needs.

    var messages: SharerMessages {
        SharerMessages(
            server: self.server,
            identity: self.profile.identity,
            device: self.profile.deviceFile,
            grants: self.profile.grantFiles,
            links: self.profile.linkFiles,
            groups: self.profile.groups,
            volunteer: self.profile.volunteerFile
        )
    }

    package var followerMessages: FollowerMessages {
        FollowerMessages(
            server: self.server,
            identity: self.profile.identity,
            sealing: self.sealing,
            records: self.profile.records()
        )
    }

    var givenGrants: GivenGrants {
        GivenGrants(messages: self.messages, followers: self.followerMessages, files: self.profile.grantFiles)
    }

    package var groups: GroupExchange {
        GroupExchange(
            messages: self.messages,
            grants: self.givenGrants,
            groups: self.profile.groups,
            names: self.profile.names,
            awaited: self.profile.awaitedReplies
        )
    }
}
