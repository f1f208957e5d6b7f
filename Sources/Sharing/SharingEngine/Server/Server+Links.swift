package import WhereaboutsVocabulary

/// Links: sealed grants, each at an address that only the holders of its link can derive (ADR 0117).
extension Server {
    /// Actions returned by ``linkPosted(_:_:now:)``.
    package enum OnLink: Sendable, Hashable {
        /// Say that the link is stored.
        case confirm
        /// Say that the grant has ended, or ends too far in the future.
        case refuseEnd
        /// Say that the grant was revoked.
        case revoked
        /// Say that another link has this address.
        case taken
        /// Say that the sharer has the maximum number of links.
        case refuse
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Stores a link until its grant ends or is revoked.
    package func linkPosted(
        _ link: Verified<LinkedGrant>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnLink {
        let link = link.value
        let latest = now.advanced(by: SharingPolicy.linkLifetimeMax + self.policy.clockSkewMax)
        guard link.notAfter > now, link.notAfter <= latest else { return .refuseEnd }
        // The message may be older than the revocation that removed the link.
        guard try !store.isRevoked(link.grant, of: link.sharer) else { return .revoked }
        if let known = try store.link(link.address) { return known == link ? .confirm : .taken }
        guard try store.linkCount(of: link.sharer) < SharingPolicy.linksPerSharerMax else { return .refuse }
        guard try store.room().has(roomFor: .link) else { return .full }
        try store.put(link)
        return .confirm
    }

    /// Returns the link at an address; nil when there is none, or when its grant has ended.
    package func link(_ address: LinkAddress, _ store: any RequestStoreView, now: WallTime) throws -> ShownLink? {
        guard let link = try store.link(address), link.notAfter > now else { return nil }
        return ShownLink(link, uses: try store.useCount(of: address))
    }
}
