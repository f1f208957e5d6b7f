internal import Foundation
internal import WhereaboutsVocabulary

/// The grants that the person gave and received, and the revocations of the given ones.
struct GrantFiles: Sendable {
    let folder: ProfileFolder

    private var given: ProfileFolder { self.folder.folder("grants") }
    private var revoked: ProfileFolder { self.folder.folder("revocations") }
    private var received: ProfileFolder { self.folder.folder("received") }

    // MARK: Given grants

    func record(_ grant: Signed<Grant>) throws {
        try self.given.replace("\(grant.value.id)", Array("\(grant.text)\n".utf8))
    }

    /// Stores a grant that another device of the person gave, so that it can be listed and revoked here; if
    /// the disk is full, the next request stores it.
    func learn(_ grant: Signed<Grant>) {
        guard !self.given.has("\(grant.value.id)") else { return }
        try? self.record(grant)
    }

    func grant(_ id: GrantID) throws -> Signed<Grant> {
        guard self.given.has("\(id)") else {
            throw SharingError(
                .badProfile,
                "\(self.folder.path) contains no grant \(id); `whereabouts grants` lists the known ones; another of your devices may have "
                    + "given it"
            )
        }
        return try Self.kept("\(id)", in: self.given)
    }

    func readable() throws -> (grants: [Signed<Grant>], damage: [SharingError]) {
        var (grants, damage): ([Signed<Grant>], [SharingError]) = ([], [])
        let names = try FileManager.default.contentsOfDirectory(atPath: self.given.path).sorted()
        for name in names where GrantID(name) != nil {
            do {
                grants.append(try Self.kept(name, in: self.given))
            } catch let error as SharingError {
                damage.append(error)
            }
        }
        return (grants, damage)
    }

    /// Deletes a grant that was not handed out.
    func drop(_ grant: GrantID) { self.given.remove("\(grant)") }

    private static func kept(_ name: String, in folder: ProfileFolder) throws -> Signed<Grant> {
        guard let text = folder.text(of: name), let grant = try? Signed<Grant>(text: text) else {
            throw SharingError(
                .badProfile,
                "\(folder.path(of: name)) is damaged: expected the grant, one line of text; restore it from a backup, or delete it (the "
                    + "requester keeps their copy of the grant)"
            )
        }
        return grant
    }

    // MARK: Revocations

    /// Stores a revocation; from now on the device answers no request under the grant.
    func record(_ revocation: Signed<Revocation>) throws {
        try self.revoked.replace("\(revocation.value.grant)", revocation.bytes)
    }

    func isRevoked(_ grant: GrantID) -> Bool {
        do {
            _ = try FileManager.default.attributesOfItem(atPath: self.revoked.path(of: "\(grant)"))
            return true
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            // A missing directory also counts as a missing file.
            return !FileManager.default.fileExists(atPath: self.revoked.path)
        } catch {
            return true
        }
    }

    /// The local revocations; a file that cannot be read is skipped, but this device still refuses its grant.
    func revocations() -> [Signed<Revocation>] {
        self.revoked.names.filter { GrantID($0) != nil }.compactMap { self.revoked.signed($0) }
    }

    // MARK: Received grants

    /// Stores a received grant, replacing an earlier one from the same person.
    func receive(_ grant: Signed<Grant>) throws {
        try self.received.add(Hex.text(of: grant.value.sharer.bytes), Array("\(grant.text)\n".utf8))
    }

    func allReceived() throws -> [Signed<Grant>] {
        guard FileManager.default.fileExists(atPath: self.received.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: self.received.path).sorted()
            .filter { Hex.bytes(of: $0)?.count == PublicIdentity.byteCount }
            .map { try Self.kept($0, in: self.received) }
    }

    func dropReceived(from sharer: PublicIdentity) throws {
        let name = Hex.text(of: sharer.bytes)
        guard self.received.has(name) else { return }
        do {
            try FileManager.default.removeItem(atPath: self.received.path(of: name))
        } catch {
            throw SharingError(
                .badProfile,
                "\(self.received.path(of: name)) cannot be deleted (\(error)); check its owner"
            )
        }
    }
}
