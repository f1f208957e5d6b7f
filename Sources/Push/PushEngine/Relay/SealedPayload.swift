internal import WhereaboutsVocabulary

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
        let text = payload.dropFirst(Self.start.count).dropLast(Self.end.count)
        return !text.isEmpty && Base64URL.bytes(ofUTF8: text) != nil
    }
}
