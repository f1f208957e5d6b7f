/// The identity of a request: the SHA-256 of the bytes that its requester signed and, for a timer, of the turn.
///
/// The ID is not enough. The requester chooses it, and can sign a second request with the same one.
package struct RequestDigest: Sendable, Hashable {
    /// The number of bytes of a digest.
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Creates a digest, or nil if there are not 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
