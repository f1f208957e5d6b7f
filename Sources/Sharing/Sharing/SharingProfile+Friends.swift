internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// Other people: their invitations, their grants, and the person's names for them.
extension SharingProfile {
    /// Creates an invitation, by which the person of this profile asks for a grant.
    ///
    /// - Parameters:
    ///   - name: how the person calls themselves; others' programs show it.
    ///   - duration: for how long it can be accepted.
    ///   - offersGrant: whether the person also lets the other one ask.
    ///   - group: the terms of the group that it is for; nil: it asks for a grant.
    /// - Returns: the invitation, to be handed over in any way.
    /// - Throws: ``SharingError`` when the name or the time is invalid, the time is too long, or the trust roots cannot be read.
    public func invitation(
        name: String,
        for duration: Duration = .seconds(7 * 86_400),
        offersGrant: Bool = false,
        group: GroupOffer? = nil
    ) throws -> Signed<Invitation> {
        guard duration > .zero else {
            throw SharingError(.badText, "An invitation must be valid for longer than 0 s. Give a longer time.")
        }
        guard duration <= Invitation.lifetimeMax else {
            throw SharingError(.badText, "An invitation is valid for at most 31 days. Give a shorter time.")
        }
        let name = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        let now = WallTime.now
        let trustRoots = try self.settings.trustRoots.map { try Self.certificates(in: $0) } ?? []
        return try self.identity.sign(
            Invitation(
                requester: self.identity.publicIdentity,
                issued: now,
                expires: now.advanced(by: duration),
                server: self.settings.server,
                trustRoots: trustRoots,
                name: name,
                offersGrant: offersGrant,
                group: group
            )
        )
    }

    /// Opens a profile for the server of an invitation, or creates one.
    ///
    /// - Parameters:
    ///   - path: the profile's directory; missing parent directories are created.
    ///   - invitation: the invitation; its signature has been checked.
    /// - Returns: the profile.
    /// - Throws: ``SharingError`` when the invitation has expired, or the profile uses another server: an invitation must
    ///   not move a profile to another server.
    public static func openOrCreate(path: String, invitation: Signed<Invitation>) throws -> SharingProfile {
        let invitation = invitation.value
        try invitation.check(now: .now)
        let settings = try ServerSettings(server: invitation.server)
        try ProfileOwner.check(path)
        if FileManager.default.fileExists(atPath: path + "/identity.key") {
            let profile = try SharingProfile(path: path)
            guard profile.settings.server == settings.server else {
                throw SharingError(
                    .badProfile,
                    "\(path) uses \(profile.settings.server), and the invitation is for \(settings.server): "
                        + "ask for one of the same server, or give another profile"
                )
            }
            return profile
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SharingError(.badProfile, "\(path) cannot be made (\(error)); give a path in one of your directories")
        }
        guard !invitation.trustRoots.isEmpty else { return try self.openOrCreate(path: path, settings: settings) }
        let trusted = path + "/trusted.pem"
        try ProfileFile.replace(trusted, Array(invitation.trustRoots.map(Self.pem).joined().utf8))
        return try self.openOrCreate(
            path: path,
            settings: ServerSettings(server: invitation.server, trustRoots: trusted)
        )
    }

    // MARK: Grants of others

    /// Stores a received grant, replacing an earlier one from the same person.
    ///
    /// - Parameters:
    ///   - grant: the grant.
    ///   - name: the person's name for the sharer from now on; unchanged, if not given.
    /// - Throws: ``SharingError`` when the grant is for another person, or the name or the grant cannot be stored. Nothing is stored
    ///   then, except the name if only writing the grant failed.
    public func keep(_ grant: Signed<Grant>, from name: String? = nil) throws {
        try self.checkIsOurs(grant)
        if let name { try self.call(grant.value.sharer, name) }
        let directory = self.path + "/received"
        try ProfileFile.makeDirectory(directory)
        let name = Hex.text(of: grant.value.sharer.bytes)
        try ProfileFile.replace("\(directory)/\(name)", Array("\(grant.text)\n".utf8))
        self.stopAwaiting(grant.value.sharer)
    }

    /// Checks that a grant is for the person of this profile, before they compare a safety number for nothing.
    ///
    /// - Throws: ``SharingError`` when the grant is for another person.
    package func checkIsOurs(_ grant: Signed<Grant>) throws {
        guard grant.value.requester == self.identity.publicIdentity else {
            throw SharingError(
                .notForUs,
                "the grant is for somebody else: it must be made for \(self.identity.publicIdentity.text)"
            )
        }
    }

    /// Checks that an invitation is not the person's own.
    ///
    /// - Throws: ``SharingError`` when it is.
    package func checkIsOfOthers(_ invitation: Invitation) throws {
        guard invitation.requester != self.identity.publicIdentity else {
            throw SharingError(.notForUs, "This invitation is your own. Send it to the person whom you invite.")
        }
    }

    /// The received grants, ordered by their sharers' keys.
    ///
    /// - Throws: ``SharingError`` when one of them is damaged.
    public func received() throws -> [Signed<Grant>] {
        let directory = self.path + "/received"
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            .filter { Hex.bytes(of: $0)?.count == PublicIdentity.byteCount }
            .map { try self.keptGrant("\(directory)/\($0)") }
    }

    /// Deletes a person's grant, the schedules that ask them, and their name; groups do not fetch their grant again.
    ///
    /// - Throws: ``SharingError`` when they may still ask the person of this profile, because they would then have no name; or when a file
    ///   cannot be deleted.
    public func forget(_ identity: PublicIdentity) throws {
        let now = WallTime.now
        let mayAsk = try self.readableGrants().grants.map(\.value).contains {
            $0.requester == identity && $0.notAfter > now && !self.isRevoked($0.id)
        }
        guard !mayAsk else {
            let name = self.name(of: identity) ?? identity.safetyNumber
            throw SharingError(.badText, "\(name) may still ask where you are. Run `whereabouts revoke` first.")
        }
        try self.dropReceived(from: identity)
        try self.changeNames { $0[identity.text] = nil }
    }

    /// Gives a friend's new key their name and their place in groups, and deletes what this profile received from the old one.
    ///
    /// The name is moved last, so that this call can be repeated after an error.
    ///
    /// - Parameters:
    ///   - new: the friend's new key.
    ///   - old: their old key.
    ///   - grant: the new key's grant, if it has one.
    /// - Throws: ``SharingError`` when a file cannot be changed.
    public func name(_ new: PublicIdentity, inPlaceOf old: PublicIdentity, grant: GrantID? = nil) throws {
        try self.changeGroups { $0.replaced(old, by: new, grant: grant) }
        try self.dropReceived(from: old)
        try self.changeNames { names in
            names[new.text] = names.removeValue(forKey: old.text) ?? names[new.text]
        }
    }

    /// Deletes a person's grant, and the schedules that ask them.
    private func dropReceived(from sharer: PublicIdentity) throws {
        for schedule in self.ownSchedules(now: .now) where schedule.request.value.grant.value.sharer == sharer {
            self.dropSchedule(schedule.request.value.id)
        }
        try self.changeGroups { $0.forgot(sharer) }
        self.stopAwaiting(sharer)
        let path = "\(self.path)/received/\(Hex.text(of: sharer.bytes))"
        do {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        } catch {
            throw SharingError(.badProfile, "\(path) cannot be deleted (\(error)); check its owner")
        }
    }

    // MARK: Names

    /// The name that the person gave to an identity, in a safe form; nil without one, or if it cannot be read (``namesDamage``).
    public func name(of identity: PublicIdentity) -> String? {
        // The owner may edit the file, but control characters are still removed.
        let kept = (try? self.keptNames())?[identity.text]
        let name = kept.map { GivenName.shown($0, bytesMax: Invitation.nameBytesMax) }
        return name.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns whether a typed name means this identity; case and joiners do not matter.
    public func calls(_ identity: PublicIdentity, _ typed: String) -> Bool {
        [self.name(of: identity), self.title(of: identity)].compactMap { $0 }.contains { GivenName.matches(typed, $0) }
    }

    /// The other people who have a name.
    package func namedPeople() throws -> [PublicIdentity] {
        try self.keptNames().keys.sorted().compactMap { try? PublicIdentity(text: $0) }
            .filter { $0 != self.identity.publicIdentity && !self.isLink($0) }
    }

    /// The error of the file of names, if it is damaged; then no identity has a name.
    public var namesDamage: SharingError? {
        do {
            _ = try self.keptNames()
            return nil
        } catch {
            return error as? SharingError
                ?? SharingError(.badProfile, "\(self.path)/names.json cannot be read (\(error))")
        }
    }

    /// Records the name that the person gives to an identity.
    ///
    /// - Throws: ``SharingError`` when the name is invisible, contains control characters, is too long, is taken, or
    ///   cannot be stored; or when the stored names cannot be read. They stay unchanged then.
    public func call(_ identity: PublicIdentity, _ name: String) throws {
        let name = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        try self.changeNames { names in
            try Self.check(name, isFreeIn: names.filter { $0.key != identity.text })
            names[identity.text] = name
        }
    }

    /// Returns a name in its stored form, if no identity has it.
    ///
    /// - Throws: ``SharingError`` as ``call(_:_:)`` does.
    func freeName(_ name: String) throws -> String {
        let name = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        try Self.check(name, isFreeIn: self.keptNames())
        return name
    }

    private static func check(_ name: String, isFreeIn names: [String: String]) throws {
        if let taken = names.values.first(where: { GivenName.matches(name, $0) }) {
            throw SharingError(.badText, GivenName.taken(name, "Somebody else or a link is", called: taken))
        }
    }

    func changeNames(_ body: (inout [String: String]) throws -> Void) throws {
        try FileLock.hold(self.path + "/names.lock") {
            let before = try self.keptNames()
            var names = before
            try body(&names)
            guard names != before else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try ProfileFile.replace(self.path + "/names.json", Array(try encoder.encode(names)))
        }
    }

    /// The names by the texts of the identities.
    func keptNames() throws -> [String: String] {
        let path = self.path + "/names.json"
        guard FileManager.default.fileExists(atPath: path) else { return [:] }
        let json = FileManager.default.contents(atPath: path)
        guard let names = json.flatMap({ try? JSONReader().decode([String: String].self, from: $0) }) else {
            // Do not treat a damaged file as empty: the next name would overwrite it.
            throw SharingError(
                .badProfile,
                "\(path) is damaged, and nothing was changed: expected a JSON object of names; fix it, restore it from a backup, or delete it, and "
                    + "give the names again"
            )
        }
        return names
    }

    // MARK: Certificates

    private static let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")

    /// The certificates of a PEM file, in DER.
    private static func certificates(in path: String) throws -> [[UInt8]] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SharingError(
                .badProfile,
                "\(path) (the certificates to trust for your server) cannot be read; restore it, or name another file: `whereabouts "
                    + "identity create --trust-roots FILE` with the profile and the server"
            )
        }
        let certificates = text.split(separator: Self.begin, omittingEmptySubsequences: false).dropFirst().compactMap {
            part in
            let body = part.split(separator: Self.end, omittingEmptySubsequences: false)[0].filter { !$0.isWhitespace }
            return Data(base64Encoded: String(body)).map { [UInt8]($0) }
        }
        guard (1...Invitation.trustRootsMax).contains(certificates.count),
            certificates.allSatisfy({ $0.count <= Invitation.trustRootBytesMax })
        else {
            throw SharingError(
                .badProfile,
                "\(path) cannot be part of an invitation: expected at most \(Invitation.trustRootsMax) certificates in PEM; "
                    + "name the authority that signed the server's certificate, and no other"
            )
        }
        return certificates
    }

    private static func pem(_ certificate: [UInt8]) -> String {
        let body = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "\(Self.begin)\n\(body)\n\(Self.end)\n"
    }
}
