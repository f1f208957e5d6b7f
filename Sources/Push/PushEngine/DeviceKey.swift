internal import WhereaboutsVocabulary

/// A device, identified by its Ed25519 public key; the device has proven that it has the private key.
public struct DeviceKey: Sendable, Hashable {
    /// The 32 bytes of the key.
    public let bytes: [UInt8]

    /// Creates a key from its bytes.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Hashes the bytes, all at once.
    public func hash(into hasher: inout Hasher) { hasher.combine(wholly: self.bytes) }
}
