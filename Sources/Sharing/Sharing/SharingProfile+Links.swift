internal import WhereaboutsVocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The links of this person: each is a grant to a key that lies in the link, with a name as a friend has one (ADR 0117).
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

    /// Stores the posted link without its secret, to post it again if the server loses it.
    func record(_ link: Signed<LinkedGrant>, of requester: PublicIdentity) throws {
        let directory = self.path + "/links"
        try ProfileFile.makeDirectory(directory)
        try ProfileFile.replace(self.linkPath(requester), link.bytes)
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

    /// Gives a link its name, or the lowest free number.
    ///
    /// - Returns: the name.
    /// - Throws: ``SharingError`` as ``call(_:_:)`` does.
    func nameLink(_ requester: PublicIdentity, _ name: String?) throws -> String {
        if let name {
            try self.call(requester, name)
        } else {
            try self.changeNames { names in
                names[requester.text] = (1...).lazy.map { "\($0)" }.first { !names.values.contains($0) }
            }
        }
        return self.name(of: requester) ?? ""
    }
}
