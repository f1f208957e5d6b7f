/// Identifies a request by the SHA-256 of its signed bytes and of the number of its occurrence.
///
/// The ID is not enough: the requester chooses it, and can sign a second request with the same ID.
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
