/// An update of a following as the server sees it: bytes of one size, whatever they say.
package struct SealedUpdate: Sendable, Hashable {
    /// The request that the following began with.
    package let request: RequestID
    /// The person whose device it is.
    package let sharer: PublicIdentity
    /// HPKE's encapsulated key, then the ciphertext.
    package let sealed: [UInt8]

    package init(request: RequestID, sharer: PublicIdentity, sealed: [UInt8]) {
        self.request = request
        self.sharer = sharer
        self.sealed = sealed
    }
}
