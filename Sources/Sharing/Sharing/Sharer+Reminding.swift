internal import WhereaboutsVocabulary

/// Handles a server whose database was lost, or replaced by a backup (ADR 0021).
extension Sharer {
    /// Repeats the registration, the revocations, the links, the enrolment and the entries of groups if the last reply named a database that may not have them.
    ///
    /// After an error it stops until the next reply. It does not throw, because the exchange before it succeeded.
    ///
    /// - Parameter isRegistered: whether the last exchange registered this device.
    /// - Returns: true if messages had to be repeated, and the server now has all of them.
    @discardableResult
    func remindServer(isRegistered: Bool = false) async -> Bool {
        var memory = self.profile.deviceFile.databaseMemory
        guard case .tellAgain(let database) = memory.replied(by: self.server.database) else { return false }
        do {
            if !isRegistered, let device = try self.profile.deviceFile.device(),
                device.standing.registrationDue() == .tell
            {
                let issued = try self.profile.deviceFile.nextRegistrationTime(now: .now)
                guard try await self.isTaken(self.tell(device, issued: issued)) else { return false }
            }
            for revocation in self.profile.grantFiles.revocations() where revocation.value.notAfter > .now {
                let response = try await self.server.post("/v1/revocations", revocation.bytes)
                guard self.isTaken(response) else { return false }
            }
            for link in self.profile.linkFiles.valid(now: .now) {
                let response = try await self.server.post("/v1/links", link.bytes)
                guard self.isTaken(response) else { return false }
            }
            if let response = try await self.enrolAgain(), !self.isTaken(response) { return false }
            // The next update of the groups posts their entries again.
            try self.profile.groups.changeAll { $0.serverForgot() }
            // The server restarted meanwhile: the next reply shows its new ID.
            guard self.server.database == database else { return false }
            memory.toldAgain(database)
            try self.profile.deviceFile.keep(memory)
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
