/// A value with an unchecked Ed25519 signature; use the value only after it is ``Verified``.
public struct Signed<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The signed content.
    public let value: Value
    /// The 64 bytes of the signature.
    public let signature: [UInt8]

    /// Combines a value and its signature, without a check.
    package init(value: Value, signature: [UInt8]) {
        self.value = value
        self.signature = signature
    }
}
