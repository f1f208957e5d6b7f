internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharer's messages to the server; they are repeated if the server's database was lost, or replaced by a backup (ADR 0021).
struct SharerMessages: Sendable {
    let server: ServerConnection
    let identity: Identity
    let device: DeviceFile
    let grants: GrantFiles
    let links: LinkFiles
    let groups: GroupFiles
    let volunteer: VolunteerFile

    /// Signs and posts a message.
    func send(_ path: String, _ value: some Signable) async throws -> ServerConnection.Response {
        try await self.server.post(path, self.identity.sign(value).bytes)
    }

    /// Signs and posts a message that the server must accept.
    @discardableResult
    func post(_ path: String, _ value: some Signable) async throws -> [UInt8] {
        let response = try await self.send(path, value)
        await self.remind()
        return try self.server.accepted(response).body
    }

    /// Registers a device with the server, with the next time for a registration if none is given.
    ///
    /// A reply of 410 means that the person removed the device. This is stored before the reply is returned.
    func register(_ device: ProfileDevice, issued: WallTime? = nil) async throws -> ServerConnection.Response {
        let issued = try issued ?? self.device.nextRegistrationTime(now: .now)
        let registration = try Registration(
            sharer: self.identity.publicIdentity,
            token: device.token,
            topic: device.topic,
            issued: issued,
            device: device.registered(by: self.identity)
        )
        let response = try await self.send("/v1/devices", registration)
        if response.status == 410 { try self.device.removed(device.standing.id) }
        if (200..<300).contains(response.status) { try self.device.registered(device, now: .now) }
        return response
    }

    /// Enrols the person as a volunteer on stored terms.
    func enrol(_ terms: VolunteerTerms, issued: WallTime) async throws -> ServerConnection.Response {
        try await self.send("/v1/responders", terms.enrolment(of: self.identity.publicIdentity, issued: issued))
    }

    /// Repeats the registration, the revocations, the links, the enrolment and the entries of groups if the last reply named a database
    /// that may not have them.
    ///
    /// After an error it stops until the next reply. It does not throw, because the exchange before it succeeded.
    ///
    /// - Parameter isRegistered: whether the last exchange registered this device.
    /// - Returns: true if messages had to be repeated, and the server now has all of them.
    @discardableResult
    func remind(isRegistered: Bool = false) async -> Bool {
        var memory = self.device.databaseMemory
        guard case .tellAgain(let database) = memory.replied(by: self.server.database) else { return false }
        do {
            if !isRegistered, let device = try self.device.device(), device.standing.registrationDue() == .tell {
                guard try await self.isTaken(self.register(device)) else { return false }
            }
            for revocation in self.grants.revocations() where revocation.value.notAfter > .now {
                guard try await self.isTaken(self.server.post("/v1/revocations", revocation.bytes)) else {
                    return false
                }
            }
            for link in self.links.valid(now: .now) {
                guard try await self.isTaken(self.server.post("/v1/links", link.bytes)) else { return false }
            }
            if let terms = try self.volunteer.terms() {
                let issued = try self.volunteer.replace(terms, now: .now)
                guard try await self.isTaken(self.enrol(terms, issued: issued)) else { return false }
            }
            // The next update of the groups posts their entries again.
            try self.groups.changeAll { $0.serverForgot() }
            // The server restarted meanwhile: the next reply shows its new ID.
            guard self.server.database == database else { return false }
            memory.toldAgain(database)
            try self.device.keep(memory)
            return true
        } catch {
            return false
        }
    }

    /// Returns whether repeating the message later would change nothing.
    private func isTaken(_ response: ServerConnection.Response) -> Bool {
        response.status != 429 && response.status < 500
    }
}
