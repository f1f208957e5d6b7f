internal import Foundation
internal import WhereaboutsVocabulary

/// The links of this person: each is a grant to a key that is derived from the link, and has a name, as a friend has
/// (ADR 0117).
extension SharingProfile {
    private func linkPath(_ requester: PublicIdentity) -> String {
        "\(self.path)/links/\(Hex.text(of: requester.bytes))"
    }

    /// Returns whether a requester is a link, not a person.
    public func isLink(_ requester: PublicIdentity) -> Bool {
        FileManager.default.fileExists(atPath: self.linkPath(requester))
    }

    /// The name of a requester, with the word "link" before a link's; nil without a name.
    public func title(of requester: PublicIdentity) -> String? {
        self.name(of: requester).map { self.isLink(requester) ? "link \($0)" : $0 }
    }

    /// Stores a posted link without its secret, to post it again if the server loses it, with its name and its grant.
    ///
    /// The grant is stored last: a stored grant has a name, and is known as a link's.
    func keep(_ link: Signed<LinkedGrant>, _ grant: Signed<Grant>, called name: String) throws {
        let directory = self.path + "/links"
        try ProfileFile.makeDirectory(directory)
        try ProfileFile.replace(self.linkPath(grant.value.requester), link.bytes)
        try self.call(grant.value.requester, name)
        try self.record(grant)
    }

    /// The links with valid grants.
    func links(now: WallTime) -> [Signed<LinkedGrant>] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path + "/links")) ?? []
        return names.sorted().compactMap { name in
            guard let bytes = FileManager.default.contents(atPath: "\(self.path)/links/\(name)"),
                let link = try? Signed<LinkedGrant>(bytes: [UInt8](bytes)),
                link.value.notAfter > now, !self.isRevoked(link.value.grant)
            else { return nil }
            return link
        }
    }

    /// Deletes a link that was not handed out.
    func drop(_ link: Grant) {
        for path in [self.linkPath(link.requester), "\(self.path)/grants/\(link.id)"] {
            try? FileManager.default.removeItem(atPath: path)
        }
        try? self.forget(link.requester)
    }

    /// Returns the name of a new link: this one in its stored form, or the lowest free number.
    ///
    /// - Throws: ``SharingError`` as ``call(_:_:)`` does.
    func linkName(_ name: String?) throws -> String {
        if let name { return try self.freeName(name) }
        let names = try self.keptNames().values
        return (1...).lazy.map { "\($0)" }.first { !names.contains($0) } ?? ""
    }
}
