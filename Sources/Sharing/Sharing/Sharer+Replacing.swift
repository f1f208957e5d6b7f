internal import WhereaboutsVocabulary

/// Replaces the key of a person whose device was lost, or whose key was stolen.
extension Sharer {
    /// Replaces the grants of this identity by grants of another one, with the same terms, end and remaining uses, then revokes the
    /// old grants and removes all devices of the old identity.
    ///
    /// Of several grants to one person, the newest is replaced. Grants that another device gave after this profile was backed up are
    /// unknown here: their requesters get no new grant, and are refused because no device of the old identity is left.
    ///
    /// It may be called again after an error: a requester with a grant of the other identity gets no second one, and the server
    /// receives the missing messages.
    ///
    /// - Parameter other: the sharer with the new key.
    /// - Returns: the new grants, to send to the friends, including those of an earlier call that failed.
    /// - Throws: ``SharingError`` when the server cannot be reached. The new grants exist then, but only this profile refuses the
    ///   old ones: a lost device answers until this method is called again and succeeds.
    public func hand(over other: Sharer) async throws -> [Signed<Grant>] {
        let now = WallTime.now
        var given: [Signed<Grant>] = []
        // The newest grant first: an earlier one may have terms that its person has since changed.
        let held = try self.profile.grants().filter { $0.value.notAfter > now }
            .sorted { ($0.value.notBefore, $0.value.id.description) > ($1.value.notBefore, $1.value.id.description) }
        for old in held {
            let terms = old.value
            // A link cannot be replaced: it contains the old key's grant.
            if self.profile.isLink(terms.requester) { continue }
            let left = try self.profile.usesLeft(of: terms)
            // Skip a grant without remaining uses.
            if left == 0 { continue }
            let known = try other.profile.grants().first {
                $0.value.requester == terms.requester && $0.value.notAfter > now
                    && !other.profile.isRevoked($0.value.id)
            }
            if let known {
                if !given.contains(known) { given.append(known) }
            } else if !self.profile.isRevoked(terms.id) {
                given.append(try other.givenGrants.give(terms.requester, onTermsOf: terms, usesMax: left, now: now))
                if let name = self.profile.name(of: terms.requester) { try other.profile.call(terms.requester, name) }
            }
        }
        // Revoke all of them locally first, then wait once for an unreachable server.
        for old in held { try self.givenGrants.refuse(old) }
        // Remove the devices first: a lost device receives no revocation, so that only the server can stop it.
        try await self.removeAllDevices()
        try await self.givenGrants.revoke(held)
        return given
    }

    /// Removes each device of this identity from the server, and makes this profile stop answering.
    private func removeAllDevices() async throws {
        for device in try await self.devices() {
            do {
                try await self.remove(device.id, evenLast: true)
            } catch let error as SharingError where error.code == .refused {
                // Another device may have removed this one meanwhile. Report the error only if the server still lists it.
                guard try await self.devices().contains(where: { $0.id == device.id }) else { continue }
                throw error
            }
            try self.profile.deviceFile.removed(device.id)
        }
    }
}

/// Handles a friend whose key was replaced.
extension Sharer {
    /// Gives a friend's new key a grant with the terms of the old key's newest grant, and revokes all grants of the old key.
    ///
    /// Call this method again after an error; the new key does not get a second grant.
    ///
    /// - Parameters:
    ///   - new: the friend's new key.
    ///   - old: their old key.
    /// - Returns: the grant of the new key, to send to the friend; nil if the old key had no valid grant.
    /// - Throws: ``SharingError`` when the server cannot be reached; this device then refuses the old key anyway.
    public func accept(_ new: PublicIdentity, inPlaceOf old: PublicIdentity) async throws -> Signed<Grant>? {
        let now = WallTime.now
        let held = try self.profile.grants().filter { $0.value.notAfter > now && !self.profile.isRevoked($0.value.id) }
        var given = held.first { $0.value.requester == new }
        let newest = held.filter { $0.value.requester == old }
            .max { ($0.value.notBefore, $0.value.id.description) < ($1.value.notBefore, $1.value.id.description) }
        if given == nil, let terms = newest?.value {
            let left = try self.profile.usesLeft(of: terms)
            if left != 0 { given = try self.givenGrants.give(new, onTermsOf: terms, usesMax: left, now: now) }
        }
        try await self.revokeAll(of: old)
        return given
    }

    /// Revokes all grants of a person: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached: this device refuses already; call it again.
    public func revokeAll(of requester: PublicIdentity) async throws {
        let theirs = try self.profile.grants().filter { $0.value.requester == requester && $0.value.notAfter > .now }
        try await self.givenGrants.revoke(theirs)
    }
}
