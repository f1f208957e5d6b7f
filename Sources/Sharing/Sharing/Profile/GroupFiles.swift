internal import Foundation
internal import WhereaboutsVocabulary

/// The groups of this person, with their secrets (ADR 0124).
package struct GroupFiles: Sendable {
    private let folder: ProfileFolder
    private let own: PublicIdentity

    init(profile: ProfileFolder, own: PublicIdentity) {
        self.folder = profile.folder("groups")
        self.own = own
    }

    /// The groups, ordered by identifier.
    ///
    /// - Throws: ``SharingError`` naming the first file that is damaged.
    package func all() throws -> [SharingGroup] {
        try self.folder.names.compactMap { GroupID($0) }.compactMap(self.group)
    }

    /// Returns a group; nil without one.
    package func group(_ id: GroupID) throws -> SharingGroup? {
        guard self.folder.has("\(id)") else { return nil }
        guard let group = self.folder.bytes(of: "\(id)").flatMap({ try? SharingGroup(bytes: $0, of: self.own) }) else {
            throw SharingError(
                .badProfile,
                "\(self.folder.path(of: "\(id)")) is damaged: expected a group. Restore it from a backup, or delete it and join the group "
                    + "again; `whereabouts grants` lists the grants that you gave to its members."
            )
        }
        return group
    }

    /// Finds a group by the name that a person types.
    ///
    /// - Throws: ``SharingError`` when there is none.
    package func group(called name: String) throws -> SharingGroup {
        guard let group = try self.all().first(where: { GivenName.matches(name, $0.offer.name) }) else {
            throw SharingError(
                .unknownName,
                "There is no group '\(PlainText.of(name))'. `whereabouts group` lists yours; --create makes one."
            )
        }
        return group
    }

    /// The groups that have not ended, and from which this person was not removed.
    package func current() throws -> [SharingGroup] {
        try self.all().filter { $0.state != .removed && .now < $0.offer.notAfter }
    }

    /// Founds a group, of which this person is the first member.
    ///
    /// - Throws: ``SharingError`` when the name is invalid or taken, or a grant cannot have this duration.
    package func found(_ name: String, precision: Precision, for duration: Duration) throws -> SharingGroup {
        let name = try GivenName.checked(name, bytesMax: SharingGroup.nameBytesMax)
        guard duration > .zero, duration <= SharingPolicy.grantLifetimeMax else {
            throw SharingError(
                .badText,
                "A group lasts longer than 0 s and at most 3653 days. Give an end in that range."
            )
        }
        var generator = SystemRandomNumberGenerator()
        let offer = GroupOffer(
            id: GroupID(using: &generator),
            founder: self.own,
            name: name,
            precision: precision,
            notAfter: .now.advanced(by: duration)
        )
        let group = SharingGroup(offer, of: self.own, state: .member(number: 1, seed: LinkSecret.drawnSeed()))
        try self.add(group)
        return group
    }

    /// Agrees to the terms of a group, and returns them with the mailbox in which this person reads the roster.
    func join(_ offer: GroupOffer) throws -> GroupOffer {
        if let known = try self.group(offer.id), known.state != .removed { return known.offer }
        var joined = offer
        joined.mailbox = LinkSecret.drawnSeed()
        try self.addWaiting(joined)
        return joined
    }

    /// Adds a group whose founder has not confirmed this person yet.
    func addWaiting(_ offer: GroupOffer) throws { try self.add(SharingGroup(offer, of: self.own, state: .waiting)) }

    private func add(_ group: SharingGroup) throws {
        try ProfileFile.makeDirectory(self.folder.path)
        try FileLock.hold("\(self.folder.path).lock") {
            let others = try self.all().filter { $0.offer.id != group.offer.id }
            if let taken = others.map(\.offer.name).first(where: { GivenName.matches($0, group.offer.name) }) {
                throw SharingError(.badText, GivenName.taken(group.offer.name, "You are in a group", called: taken))
            }
            try self.folder.replace("\(group.offer.id)", group.bytes)
        }
    }

    /// Changes a group under a lock between processes; returns nil if the group was deleted.
    @discardableResult
    func change<Action>(_ id: GroupID, _ body: (inout SharingGroup) throws -> Action) throws -> Action? {
        try FileLock.hold("\(self.folder.path).lock") {
            guard let before = try self.group(id) else { return nil }
            var group = before
            let action = try body(&group)
            if group != before { try self.folder.replace("\(id)", group.bytes) }
            return action
        }
    }

    /// Changes all groups, each by itself.
    @discardableResult
    package func changeAll<Action>(_ body: (inout SharingGroup) throws -> Action) throws -> [Action] {
        try self.all().compactMap { try self.change($0.offer.id, body) }
    }

    func drop(_ id: GroupID) throws {
        let path = self.folder.path(of: "\(id)")
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw SharingError(.badProfile, "\(path) cannot be deleted (\(error)); check its owner")
        }
    }
}
