/// A device's proof that it has its private key: a signature over the nonce of one connection.
///
/// The signature is not verified yet; the host verifies it.
public struct LinkProof: Sendable, Hashable {
    /// The bytes of a nonce.
    public static let nonceBytesCount = 32

    /// The key that the device claims.
    public let device: DeviceKey
    /// The signature.
    public let signature: [UInt8]

    /// Creates a proof.
    public init(device: DeviceKey, signature: [UInt8]) {
        self.device = device
        self.signature = signature
    }
}
