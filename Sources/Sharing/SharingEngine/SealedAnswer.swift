/// A device's answer as the server sees it.
///
/// Its size depends on the request's suite, not on the content.
package struct SealedAnswer: Sendable, Hashable {
    package let request: RequestID
    /// The owner of the device that answers.
    package let sharer: PublicIdentity
    /// HPKE's encapsulated key, then the ciphertext.
    package let sealed: [UInt8]

    package init(request: RequestID, sharer: PublicIdentity, sealed: [UInt8]) {
        self.request = request
        self.sharer = sharer
        self.sealed = sealed
    }
}
