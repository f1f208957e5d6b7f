/// Checks the form of a request's header block (RFC 9113, 8.2 and 8.3).
///
/// A malformed block ends its stream without an answer, and some clients then wait forever. So the values of known headers
/// are not checked here: ``PushRequest`` rejects them with a reason.
struct HeaderBlockForm: Sendable, Hashable {
    /// The pseudo-headers of a request.
    enum PseudoHeader: UInt8 {
        case method = 1
        case scheme = 2
        case path = 4
        case authority = 8
    }

    private static let mandatory =
        PseudoHeader.method.rawValue | PseudoHeader.scheme.rawValue | PseudoHeader.path.rawValue

    private var seen: UInt8 = 0
    private var hasRegular = false
    private var isBroken = false

    /// Whether the block is malformed if it ends here.
    var isMalformed: Bool { self.isBroken || self.seen & Self.mandatory != Self.mandatory }

    /// Records a pseudo-header.
    ///
    /// Each pseudo-header may appear only once, and before all other headers.
    mutating func add(_ header: PseudoHeader) {
        if self.hasRegular || self.seen & header.rawValue != 0 { self.isBroken = true }
        self.seen |= header.rawValue
    }

    /// Records a known header.
    mutating func addKnown() {
        self.hasRegular = true
    }

    /// Records any other header.
    mutating func addOther(_ name: String, _ value: String) {
        self.hasRegular = true
        if !Self.isWellFormed(name, value) { self.isBroken = true }
    }

    private static func isWellFormed(_ name: String, _ value: String) -> Bool {
        switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": false
        case "te": value == "trailers"
        default:
            !name.isEmpty && name.utf8.allSatisfy(Self.isNameCharacter)
                && !value.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        }
    }

    /// Whether a byte is a lower-case token character (RFC 9110, 5.6.2), which excludes the colon of pseudo-headers.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
