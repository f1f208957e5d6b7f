package import WhereaboutsSharingEngine

/// A request in a push, sealed to the device's own key and always of one size: the push service can see which device is woken, and
/// nothing else.
package enum SealedPush {
    /// The algorithms: small keys, so that the whole fits a push.
    package static let suite = Suite.x25519AES
    /// How many bytes are sealed.
    ///
    /// Source: our choice; the longest request has ``Request/longestByteCount``, a push has room for 2,994, and the rest is for fields of
    /// later versions.
    package static let paddedByteCount = 2048
    /// The size of a sealed push: the encapsulated key, the ciphertext and its tag.
    package static let byteCount = 32 + Self.paddedByteCount + 16

    /// The bytes that both sides must agree on.
    package static func info(topic: String) -> [UInt8] { Array("whereabouts/push/v1\0\(topic)".utf8) }

    /// Seals a request to a device's key.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key, or the request is too long.
    package static func seal(
        _ request: Signed<Request>,
        to key: [UInt8],
        topic: String,
        _ sealing: any Sealing
    ) throws -> [UInt8] {
        try sealing.seal(to: key, suite: self.suite, info: self.info(topic: topic)) {
            try self.padded(request.bytes)
        }
    }

    /// The bytes that both sides of a push to a volunteer must agree on.
    package static func noticeInfo(topic: String) -> [UInt8] { Array("whereabouts/responder-push/v1\0\(topic)".utf8) }

    /// Seals a notice to the key of a volunteer's phone; the push service sees the same as for a request.
    ///
    /// - Throws: ``SharingError`` when nothing can be sealed to the key.
    package static func seal(
        _ notice: ResponderNotice,
        to key: [UInt8],
        topic: String,
        _ sealing: any Sealing
    ) throws -> [UInt8] {
        try sealing.seal(to: key, suite: self.suite, info: self.noticeInfo(topic: topic)) {
            try self.padded(notice.bytes)
        }
    }

    /// Opens the result of ``seal(_:to:topic:_:)`` of a notice, without checking signatures.
    ///
    /// - Throws: ``SharingError`` when it carries a request, was sealed to another key or for another app, or its contents
    ///   are malformed.
    package static func openNotice(
        _ sealed: [UInt8],
        with key: RequestKey,
        topic: String,
        _ sealing: any Sealing
    ) throws -> ResponderNotice {
        try ResponderNotice(bytes: self.opened(sealed, with: key, info: self.noticeInfo(topic: topic), sealing))
    }

    /// Opens the result of ``seal(_:to:topic:_:)``, without checking signatures.
    ///
    /// - Throws: ``SharingError`` when it was sealed to another key or for another app, or its contents are malformed.
    package static func open(
        _ sealed: [UInt8],
        with key: RequestKey,
        topic: String,
        _ sealing: any Sealing
    ) throws -> Signed<Request> {
        try Signed<Request>(bytes: self.opened(sealed, with: key, info: self.info(topic: topic), sealing))
    }

    private static func opened(
        _ sealed: [UInt8],
        with key: RequestKey,
        info: [UInt8],
        _ sealing: any Sealing
    ) throws -> [UInt8] {
        guard sealed.count == self.byteCount else {
            throw SharingError(
                .badPush,
                "a sealed push has \(self.byteCount) bytes, got \(sealed.count); ask the server's operator for its version"
            )
        }
        let padded: [UInt8]
        do {
            padded = try sealing.open(sealed, with: key, info: info)
        } catch {
            throw SharingError(
                .badPush,
                "the push cannot be decrypted: it was encrypted for another device key or app. It is lost; the app's next "
                    + "registration gives the server the current key"
            )
        }
        var reader = ByteReader(padded, name: "the sealed push")
        let bytes = try reader.counted()
        let zeros = try reader.fixed(self.paddedByteCount - 2 - bytes.count)
        guard zeros.allSatisfy({ $0 == 0 }) else { throw reader.error("expected zeros after the content") }
        try reader.end()
        return bytes
    }

    private static func padded(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count <= self.paddedByteCount - 2 else {
            throw SharingError(.badBytes, "\(bytes.count) bytes do not fit into a push; ask with a shorter grant")
        }
        var writer = ByteWriter()
        writer.counted(bytes)
        writer.fixed(repeatElement(0, count: self.paddedByteCount - writer.bytes.count))
        return writer.bytes
    }
}
