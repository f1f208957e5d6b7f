/// A device, identified by its Ed25519 public key, whose possession it has proven.
public struct DeviceKey: Sendable, Hashable {
    /// The 32 bytes of the key.
    public let bytes: [UInt8]

    /// Creates a key from its bytes.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
