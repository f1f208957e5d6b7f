internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// The person's names for others and for links, by the texts of their identities.
struct NameFile: Sendable {
    private static let file = "names.json"

    let folder: ProfileFolder

    func all() throws -> [String: String] {
        guard self.folder.has(Self.file) else { return [:] }
        let json = self.folder.bytes(of: Self.file).map { Data($0) }
        guard let names = json.flatMap({ try? JSONReader().decode([String: String].self, from: $0) }) else {
            // Do not treat a damaged file as empty: the next name would overwrite it.
            throw SharingError(
                .badProfile,
                "\(self.folder.path(of: Self.file)) is damaged, and nothing was changed: expected a JSON object of names; fix it, "
                    + "restore it from a backup, or delete it, and give the names again"
            )
        }
        return names
    }

    /// The error of the file, if it is damaged; then no identity has a name.
    var damage: SharingError? {
        do {
            _ = try self.all()
            return nil
        } catch {
            return error as? SharingError
                ?? SharingError(.badProfile, "\(self.folder.path(of: Self.file)) cannot be read (\(error))")
        }
    }

    func name(of identity: PublicIdentity) -> String? {
        // The owner may edit the file, but control characters are still removed.
        let kept = (try? self.all())?[identity.text]
        let name = kept.map { GivenName.shown($0, bytesMax: Invitation.nameBytesMax) }
        return name.flatMap { $0.isEmpty ? nil : $0 }
    }

    func call(_ identity: PublicIdentity, _ name: String) throws {
        let name = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        try self.change { names in
            try Self.check(name, isFreeIn: names.filter { $0.key != identity.text })
            names[identity.text] = name
        }
    }

    /// Gives a new member of a group a name: the name that the founder gave, with a number if it is taken; a known person keeps theirs.
    func call(_ member: GroupRoster.Member) throws {
        guard self.name(of: member.person) == nil else { return }
        let name = GivenName.shown(member.name, bytesMax: SharingGroup.nameBytesMax)
        try self.change { names in
            names[member.person.text] = (1...).lazy.map { $0 == 1 ? name : "\(name) \($0)" }
                .first { name in !names.values.contains { GivenName.matches(name, $0) } }
        }
    }

    /// Returns the name of a new link: this one in its stored form, or the lowest free number.
    ///
    /// - Throws: ``SharingError`` when the name is invalid or taken.
    func linkName(_ name: String?) throws -> String {
        let names = try self.all()
        guard let name else { return (1...).lazy.map { "\($0)" }.first { !names.values.contains($0) } ?? "" }
        let checked = try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        try Self.check(checked, isFreeIn: names)
        return checked
    }

    private static func check(_ name: String, isFreeIn names: [String: String]) throws {
        if let taken = names.values.first(where: { GivenName.matches(name, $0) }) {
            throw SharingError(.badText, GivenName.taken(name, "Somebody else or a link is", called: taken))
        }
    }

    func change(_ body: (inout [String: String]) throws -> Void) throws {
        try FileLock.hold(self.folder.path(of: "names.lock")) {
            let before = try self.all()
            var names = before
            try body(&names)
            guard names != before else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try self.folder.replace(Self.file, Array(try encoder.encode(names)))
        }
    }
}
