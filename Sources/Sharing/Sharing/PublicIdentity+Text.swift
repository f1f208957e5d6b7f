internal import Crypto
internal import Foundation
internal import WhereaboutsVocabulary

extension PublicIdentity {
    private static let checksumByteCount = 4
    /// Prevents an identity from beginning with a hyphen, like a command-line option.
    private static let prefix = "id-v1."

    private static func hash(_ purpose: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Data(purpose.utf8) + [0] + bytes))
    }

    /// The identity as text: a prefix, then 48 characters of base64url, the last of them a checksum that catches typing
    /// errors.
    public var text: String {
        Self.prefix
            + Base64URL.text(
                of: self.bytes + Self.hash("whereabouts/identity/v1", self.bytes).prefix(Self.checksumByteCount)
            )
    }

    /// Reads ``text``.
    ///
    /// - Throws: ``SharingError`` that says whether the form or the checksum is wrong.
    public init(text: String) throws {
        guard text.hasPrefix(Self.prefix), let bytes = Base64URL.bytes(of: text.dropFirst(Self.prefix.count)),
            bytes.count == Self.byteCount + Self.checksumByteCount,
            let identity = PublicIdentity(bytes: Array(bytes.prefix(Self.byteCount)))
        else {
            throw SharingError(
                .badText,
                "\"\(text)\" is not an identity: expected \(Self.prefix) and 48 characters of A-Z a-z 0-9 - _; "
                    + "copy it from `whereabouts identity show`"
            )
        }
        guard identity.text == text else {
            throw SharingError(
                .badText,
                "\"\(text)\" is not an identity: its checksum does not match, so a character is wrong; "
                    + "copy it from `whereabouts identity show`"
            )
        }
        self = identity
    }

    /// A number that two people can compare by voice: six groups of five digits, about 100 bits of the key's hash.
    public var safetyNumber: String {
        let hash = Self.hash("whereabouts/safety-number/v1", self.bytes)
        return (0..<6).map { group in
            let value = hash[group * 5..<group * 5 + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            let digits = String(value)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }.joined(separator: " ")
    }
}
