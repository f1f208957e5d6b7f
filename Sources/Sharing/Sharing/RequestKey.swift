/// A key pair for one request, which is deleted with it, or for the pushes of one device.
public struct RequestKey: Sendable, Hashable {
    /// The algorithms that use the key.
    public let suite: Suite
    /// The public key, which the answer, or the push, is sealed to.
    public let publicKey: [UInt8]
    /// The secret key; a requester writes it to the disk only for a schedule.
    public let secret: [UInt8]

    /// Creates a key pair from its parts.
    public init(suite: Suite, publicKey: [UInt8], secret: [UInt8]) {
        self.suite = suite
        self.publicKey = publicKey
        self.secret = secret
    }
}
