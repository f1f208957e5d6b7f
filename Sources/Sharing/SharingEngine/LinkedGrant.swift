package import WhereaboutsVocabulary

/// A sharer's message with a sealed grant, which the server stores for anyone who has the link (ADR 0117).
package struct LinkedGrant: Sendable, Hashable {
    /// The bytes of a sealed grant: a nonce (12), the padded grant with the names (1,024), a tag (16).
    package static let sealedByteCount = 1052

    /// The address at which the server shows the sealed grant.
    package let address: LinkAddress
    /// The owner of the device that answers.
    package let sharer: PublicIdentity
    /// The ID of the grant; revoking the grant removes the link.
    package let grant: GrantID
    /// The grant's end, with which the link ends.
    package let notAfter: WallTime
    /// The sealed grant, which only holders of the link can open.
    package let sealed: [UInt8]

    package init(address: LinkAddress, sharer: PublicIdentity, grant: GrantID, notAfter: WallTime, sealed: [UInt8]) {
        self.address = address
        self.sharer = sharer
        self.grant = grant
        self.notAfter = notAfter.wholeMilliseconds
        self.sealed = sealed
    }
}

/// The address of a link on the server, which is derived from the link's secret.
package typealias LinkAddress = Identifier128<LinkedGrant>
