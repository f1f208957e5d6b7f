package import WhereaboutsSharing

/// Signs and verifies in the simulator, in place of Ed25519: deterministic, fast, and easy to forge.
///
/// Its signatures keep the rules of `Identity`'s suite, except against forgers.
package enum ModelNotary {
    /// Signs as the person whom the statement names.
    package static func sign<Value: Signable>(_ value: Value) -> Signed<Value> {
        Signed(value: value, signature: self.signature(of: value))
    }

    /// Checks a signature, and the grant's signature in a request; nil if one is invalid.
    package static func verified<Value: Signable>(_ signed: Signed<Value>) -> Verified<Value>? {
        if let request = signed.value as? Request, self.verified(request.grant) == nil { return nil }
        return signed.signature == self.signature(of: signed.value) ? Verified(signed) : nil
    }

    /// The identity of a request, in place of SHA-256.
    static func digest(of request: Request) -> RequestDigest {
        var hash = ModelHash()
        hash.add(Array(Request.domain.utf8))
        hash.add(request.bytes)
        hash.add([UInt8(request.occurrence >> 8), UInt8(request.occurrence & 0xFF)])
        guard let digest = RequestDigest(bytes: hash.bytes(RequestDigest.byteCount)) else {
            preconditionFailure("a digest has \(RequestDigest.byteCount) bytes")
        }
        return digest
    }

    private static func signature<Value: Signable>(of value: Value) -> [UInt8] {
        var hash = ModelHash()
        hash.add(value.signer.bytes)
        hash.add(Array(Value.domain.utf8))
        hash.add(value.bytes)
        return hash.bytes(64)
    }
}
