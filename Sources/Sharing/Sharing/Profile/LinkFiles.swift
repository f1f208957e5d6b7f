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
        let links: [Signed<LinkedGrant>] = self.folder.names.compactMap { self.folder.signed($0) }
        return links.filter { $0.value.notAfter > now && !self.grants.isRevoked($0.value.grant) }
    }

    func drop(_ requester: PublicIdentity) { self.folder.remove(Hex.text(of: requester.bytes)) }
}
