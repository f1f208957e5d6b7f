/// An update of a live share as the server sees it: bytes of one size.
package struct SealedUpdate: Sendable, Hashable {
    /// The request that began the live share.
    package let request: RequestID
    /// The owner of the device.
    package let sharer: PublicIdentity
    /// HPKE's encapsulated key, then the ciphertext.
    package let sealed: [UInt8]

    package init(request: RequestID, sharer: PublicIdentity, sealed: [UInt8]) {
        self.request = request
        self.sharer = sharer
        self.sealed = sealed
    }
}
