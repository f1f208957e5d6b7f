internal import WhereaboutsVocabulary

/// The posted links, without their secrets, to post them again if the server loses them (ADR 0117).
struct LinkFiles: Sendable {
    private let folder: ProfileFolder
    private let grants: GrantFiles

    init(profile: ProfileFolder, grants: GrantFiles) {
        self.folder = profile.folder("links")
        self.grants = grants
    }

    func isLink(_ requester: PublicIdentity) -> Bool { self.folder.has(Hex.text(of: requester.bytes)) }

    func keep(_ link: Signed<LinkedGrant>, of requester: PublicIdentity) throws {
        try self.folder.add(Hex.text(of: requester.bytes), link.bytes)
    }

    /// The links with valid grants.
    func valid(now: WallTime) -> [Signed<LinkedGrant>] {
        self.folder.names.compactMap { name in
            guard let link = self.folder.bytes(of: name).flatMap({ try? Signed<LinkedGrant>(bytes: $0) }),
                link.value.notAfter > now, !self.grants.isRevoked(link.value.grant)
            else { return nil }
            return link
        }
    }

    func drop(_ requester: PublicIdentity) { self.folder.remove(Hex.text(of: requester.bytes)) }
}
