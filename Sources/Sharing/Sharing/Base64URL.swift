internal import Foundation

/// Bytes as base64url (RFC 4648, section 5) without padding: safe in a URL, a file name and a line of text.
package enum Base64URL {
    /// Writes four characters per three bytes.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        let utf8 = Data(bytes).base64EncodedString().utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Decodes a text that ``text(of:)`` made; nil for any other spelling, so that a value has exactly one text.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var utf8 = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while !utf8.count.isMultiple(of: 4) { utf8.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: String(decoding: utf8, as: UTF8.self)) else { return nil }
        let bytes = [UInt8](data)
        return Self.text(of: bytes) == text ? bytes : nil
    }
}
