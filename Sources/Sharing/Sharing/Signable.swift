internal import Crypto
internal import Foundation

/// A message to sign: its bytes, and the domain that distinguishes kinds of messages.
package protocol Signable: Sendable, Hashable {
    /// The prefix of the signed bytes, such as `whereabouts/grant/v1`.
    static var domain: String { get }
    /// The identity that must have signed the message.
    var signer: PublicIdentity { get }
    func write(to writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws
    /// Checks the signatures of contained messages, and the keys.
    func verifyParts() throws
    /// Writes the unsigned part after the signature.
    func writeUnsigned(to writer: inout ByteWriter)
    /// Returns the message with the unsigned part after the signature.
    func withUnsigned(from reader: inout ByteReader) throws -> Self
}

extension Signable {
    /// Checks nothing, because most messages contain no other message.
    package func verifyParts() throws {}

    /// Writes nothing, because the signature of most messages covers all fields.
    package func writeUnsigned(to writer: inout ByteWriter) {}

    package func withUnsigned(from reader: inout ByteReader) throws -> Self { self }

    /// The fields as bytes, in one encoding.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        self.write(to: &writer)
        return writer.bytes
    }

    /// The bytes under the signature: the domain, a zero byte, the fields.
    var signedBytes: Data { Data(Self.domain.utf8) + [0] + self.bytes }
}

extension Signed where Value: Signable {
    /// The count of bytes of a signature.
    static var signatureByteCount: Int { 64 }

    /// The fields, the signature, and the unsigned fields.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        self.value.write(to: &writer)
        writer.fixed(self.signature)
        self.value.writeUnsigned(to: &writer)
        return writer.bytes
    }

    /// Reads ``bytes``, without checking the signature.
    package init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the message \(Value.domain)")
        self = try Self(from: &reader)
        try reader.end()
    }

    init(from reader: inout ByteReader) throws {
        let value = try Value(from: &reader)
        let signature = try reader.fixed(Self.signatureByteCount)
        self.init(value: try value.withUnsigned(from: &reader), signature: signature)
    }

    /// Checks the signature, and those of contained messages.
    package func verified() throws -> Verified<Value> {
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: self.value.signer.bytes)
        guard let key, key.isValidSignature(self.signature, for: self.value.signedBytes) else {
            throw SharingError(
                .badSignature,
                "the signature of \(Value.domain) is invalid: it must be made by the key it names, over exactly these "
                    + "fields; get the message again from its author"
            )
        }
        try self.value.verifyParts()
        return Verified(self)
    }
}
