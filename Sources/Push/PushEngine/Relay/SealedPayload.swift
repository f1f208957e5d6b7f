/// The only form of payload that the relay accepts: `{"aps":{},"whereabouts":{"sealed":"…"}}`, byte for byte.
///
/// The relay could read any other payload. Optional spaces, members and escapes of JSON could carry data beside the sealed
/// part, so none are allowed, and the unused bits of base64url must be zero (RFC 4648, 3.5).
public enum SealedPayload {
    private static let start = Array(#"{"aps":{},"whereabouts":{"sealed":""#.utf8)
    private static let end = Array(#""}}"#.utf8)

    /// Returns whether a payload has the form; its size is limited as for every payload.
    public static func isSealed(_ payload: [UInt8]) -> Bool {
        guard payload.starts(with: Self.start), payload.suffix(Self.end.count).elementsEqual(Self.end) else {
            return false
        }
        return Self.isBase64URL(payload.dropFirst(Self.start.count).dropLast(Self.end.count))
    }

    /// Returns whether bytes are non-empty base64url without padding.
    private static func isBase64URL(_ text: ArraySlice<UInt8>) -> Bool {
        var last: UInt8 = 0
        for byte in text {
            guard let value = Self.value(byte) else { return false }
            last = value
        }
        switch text.count % 4 {
        case 0: return !text.isEmpty
        case 2: return last & 0x0F == 0
        case 3: return last & 0x03 == 0
        default: return false
        }
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
