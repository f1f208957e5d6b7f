internal import FakeAPNS
internal import Testing

/// A case of h2spec (github.com/summerwind/h2spec), with its section of RFC 9113 or RFC 7541: the frames, and the
/// expected reaction.
///
/// Stream 1 was answered before, with a valid provider token; the case begins with stream 3. As in h2spec, closing the
/// connection counts as GOAWAY, and a connection error as a stream error.
struct FrameRule: Sendable, CustomTestStringConvertible {
    /// Headers in their order.
    typealias Fields = [(String, String)]

    /// The expected reaction.
    enum Reaction: Sendable {
        /// The frames are accepted: a ping after them is answered.
        case goesOn
        case answer(UInt32)
        /// The connection ends with one of these codes.
        case connectionEnds([UInt32])
        /// The stream is reset with one of these codes, or the connection ends.
        case streamEnds(UInt32, [UInt32])
    }

    /// Codes of errors (RFC 9113, 7).
    enum Code {
        static let (noError, protocolError, flowControl): (UInt32, UInt32, UInt32) = (0, 1, 3)
        static let (streamClosed, frameSize, refused): (UInt32, UInt32, UInt32) = (5, 6, 7)
        static let compression: UInt32 = 9
    }

    let section: String
    let name: String
    let bytes: @Sendable (_ request: Fields) -> [UInt8]
    let reaction: Reaction

    var testDescription: String { "\(self.section) \(self.name)" }

    private init(
        _ section: String,
        _ name: String,
        _ reaction: Reaction,
        _ frames: @escaping @Sendable (_ request: Fields) -> [[UInt8]]
    ) {
        self.section = section
        self.name = name
        self.reaction = reaction
        self.bytes = { frames($0).flatMap(\.self) }
    }

    // MARK: Frames

    private static func frame(
        _ kind: RawFrame.Kind,
        _ flags: UInt8 = 0,
        _ stream: UInt32 = 0,
        _ payload: [UInt8] = []
    )
        -> [UInt8]
    {
        RawFrame(kind, flags: flags, stream: stream, payload).bytes()
    }

    /// Complete HEADERS; the stream stays open unless `ends`.
    private static func headers(_ fields: Fields, _ stream: UInt32 = 3, ends: Bool = false) -> [UInt8] {
        let flags = RawFrame.endHeaders | (ends ? RawFrame.endStream : 0)
        return Self.frame(.headers, flags, stream, HeaderBlock.bytes(fields))
    }

    private static func data(_ stream: UInt32 = 3, ends: Bool = true, _ text: String = "{}") -> [UInt8] {
        Self.frame(.data, ends ? RawFrame.endStream : 0, stream, Array(text.utf8))
    }

    private static func setting(_ id: UInt16, _ value: UInt32) -> [UInt8] {
        [UInt8(id >> 8), UInt8(truncatingIfNeeded: id)] + RawFrame.bytes(of: value)
    }

    private static func without(_ name: String, _ fields: Fields) -> Fields {
        fields.filter { $0.0 != name }
    }

    /// A header block with a byte of HPACK before or behind it.
    private static func block(_ fields: Fields, before: [UInt8] = [], behind: [UInt8] = []) -> [UInt8] {
        Self.frame(
            .headers,
            RawFrame.endHeaders | RawFrame.endStream,
            3,
            before + HeaderBlock.bytes(fields) + behind
        )
    }

    private static let brokenRule = Reaction.connectionEnds([Code.protocolError])
    private static let wrongSize = Reaction.connectionEnds([Code.frameSize])
    private static let malformed = Reaction.streamEnds(3, [Code.protocolError])
    private static let closed = Reaction.streamEnds(3, [Code.streamClosed, Code.protocolError])
    private static let answered = Reaction.answer(3)

    // MARK: The list

    static let all = connection + streams + frames + messages + compression

    private static let connection = [
        FrameRule("4.1", "a frame of an unknown type is ignored", .goesOn) { _ in
            [RawFrame(type: 0x16, stream: 0, [0, 0, 0, 0]).bytes()]
        },
        FrameRule("4.1", "an undefined flag is ignored", .goesOn) { _ in [frame(.ping, 0x16, 0, Array("h2spec01".utf8))]
        },
        FrameRule("4.1", "the reserved bit is ignored", .goesOn) { _ in
            [frame(.ping, 0, 0x8000_0000, Array("h2spec02".utf8))]
        },
        FrameRule("4.2", "DATA of 16,384 bytes is taken", answered) { request in
            [headers(request), data(ends: true, String(repeating: "x", count: 16_384))]
        },
        FrameRule("4.2", "DATA of more", .connectionEnds([Code.frameSize])) { request in
            [headers(request), data(ends: true, String(repeating: "x", count: 16_385))]
        },
        FrameRule("4.2", "HEADERS of more", .connectionEnds([Code.frameSize, Code.protocolError])) { request in
            [headers(request + [("x", String(repeating: "x", count: 16_385))], ends: true)]
        },
        FrameRule("4.3", "PRIORITY in a header block", brokenRule) { request in
            [
                frame(.headers, RawFrame.endStream, 3, HeaderBlock.bytes(request)),
                frame(.priority, 0, 3, [0, 0, 0, 0, 1]),
            ]
        },
        FrameRule("4.3", "HEADERS of another stream in a header block", brokenRule) { request in
            [frame(.headers, RawFrame.endStream, 3, HeaderBlock.bytes(request)), headers(request, 5, ends: true)]
        },
        FrameRule("5.1.1", "a stream with an even id", brokenRule) { request in [headers(request, 2, ends: true)] },
        FrameRule("5.1.1", "a stream with a smaller id", .connectionEnds([Code.protocolError, Code.streamClosed])) {
            request in
            [headers(request, 7, ends: false), headers(request, 5, ends: true)]
        },
        FrameRule("5.5", "an unknown frame in a header block", brokenRule) { request in
            [
                frame(.headers, RawFrame.endStream, 3, HeaderBlock.bytes(request)),
                RawFrame(type: 0xFF, stream: 3).bytes(),
            ]
        },
        FrameRule("7", "GOAWAY with an unknown code", .goesOn) { _ in
            [frame(.goAway, 0, 0, RawFrame.bytes(of: 0) + RawFrame.bytes(of: 0xFF))]
        },
        FrameRule("7", "RST_STREAM with an unknown code", .goesOn) { request in
            [headers(request), frame(.rstStream, 0, 3, RawFrame.bytes(of: 0xFF))]
        },
    ]

    private static let streams = [
        FrameRule("5.1", "idle: DATA", brokenRule) { _ in [data(5)] },
        FrameRule("5.1", "idle: RST_STREAM", brokenRule) { _ in [frame(.rstStream, 0, 5, RawFrame.bytes(of: 8))] },
        FrameRule("5.1", "idle: WINDOW_UPDATE", brokenRule) { _ in [frame(.windowUpdate, 0, 5, RawFrame.bytes(of: 100))]
        },
        FrameRule("5.1", "idle: CONTINUATION", brokenRule) { request in
            [frame(.continuation, RawFrame.endHeaders, 5, HeaderBlock.bytes(request))]
        },
        FrameRule("5.1", "half closed: DATA", closed) { request in [headers(request, ends: true), data()] },
        FrameRule("5.1", "half closed: HEADERS", closed) { request in
            [headers(request, ends: true), headers(request, ends: true)]
        },
        FrameRule("5.1", "half closed: CONTINUATION", closed) { request in
            [headers(request, ends: true), frame(.continuation, RawFrame.endHeaders, 3, HeaderBlock.bytes(request))]
        },
        FrameRule("5.1", "closed after RST_STREAM: HEADERS", closed) { request in
            [headers(request), frame(.rstStream, 0, 3, RawFrame.bytes(of: 8)), headers(request, ends: true)]
        },
        FrameRule("5.1", "closed after RST_STREAM: CONTINUATION", closed) { request in
            [
                headers(request), frame(.rstStream, 0, 3, RawFrame.bytes(of: 8)),
                frame(.continuation, RawFrame.endHeaders, 3, HeaderBlock.bytes(request)),
            ]
        },
        FrameRule("5.1", "closed: CONTINUATION", .streamEnds(1, [Code.streamClosed, Code.protocolError])) { request in
            [frame(.continuation, RawFrame.endHeaders, 1, HeaderBlock.bytes(request))]
        },
        FrameRule("8.1", "a second HEADERS without an end", malformed) { request in
            [headers(request), headers([("x", "y")]), data()]
        },
    ]

    private static let frames = [
        FrameRule("6.1", "DATA on stream 0", brokenRule) { _ in [data(0)] },
        FrameRule("6.1", "DATA with too much padding", brokenRule) { request in
            [headers(request), frame(.data, RawFrame.padded | RawFrame.endStream, 3, [6, 1, 2, 3])]
        },
        FrameRule("6.2", "HEADERS on stream 0", brokenRule) { request in [headers(request, 0, ends: true)] },
        FrameRule("6.2", "HEADERS with too much padding", .connectionEnds([Code.protocolError, Code.frameSize])) {
            _ in
            let flags = RawFrame.padded | RawFrame.endHeaders | RawFrame.endStream
            return [frame(.headers, flags, 3, [200] + HeaderBlock.bytes([("a", "b")]))]
        },
        FrameRule("6.3", "PRIORITY on stream 0", brokenRule) { _ in [frame(.priority, 0, 0, [0, 0, 0, 1, 1])] },
        FrameRule("6.3", "PRIORITY of four bytes", .streamEnds(3, [Code.frameSize])) { request in
            [headers(request), frame(.priority, 0, 3, [0, 0, 0, 1])]
        },
        FrameRule("6.4", "RST_STREAM on stream 0", brokenRule) { _ in [frame(.rstStream, 0, 0, RawFrame.bytes(of: 8))]
        },
        FrameRule("6.4", "RST_STREAM of three bytes", wrongSize) { request in
            [headers(request), frame(.rstStream, 0, 3, [0, 0, 0])]
        },
        FrameRule("6.5", "SETTINGS with ACK and a payload", wrongSize) { _ in
            [frame(.settings, RawFrame.ack, 0, setting(3, 1))]
        },
        FrameRule("6.5", "SETTINGS on a stream", brokenRule) { request in
            [headers(request), frame(.settings, 0, 3, setting(3, 1))]
        },
        FrameRule("6.5", "SETTINGS of five bytes", wrongSize) { _ in [frame(.settings, 0, 0, [0, 3, 0, 0, 0])] },
        FrameRule("6.5.2", "ENABLE_PUSH of 2", brokenRule) { _ in [frame(.settings, 0, 0, setting(2, 2))] },
        FrameRule("6.5.2", "INITIAL_WINDOW_SIZE of 2^31", .connectionEnds([Code.flowControl])) { _ in
            [frame(.settings, 0, 0, setting(4, 1 << 31))]
        },
        FrameRule("6.5.2", "MAX_FRAME_SIZE of 16,383", brokenRule) { _ in [frame(.settings, 0, 0, setting(5, 16_383))]
        },
        FrameRule("6.5.2", "MAX_FRAME_SIZE of 2^24", brokenRule) { _ in [frame(.settings, 0, 0, setting(5, 1 << 24))] },
        FrameRule("6.5.2", "an unknown setting is ignored", .goesOn) { _ in [frame(.settings, 0, 0, setting(0xFF, 1))]
        },
        FrameRule("6.7", "PING with ACK is not answered", .goesOn) { _ in
            [frame(.ping, RawFrame.ack, 0, Array("invalid!".utf8))]
        },
        FrameRule("6.7", "PING on a stream", brokenRule) { _ in [frame(.ping, 0, 3, Array("12345678".utf8))] },
        FrameRule("6.7", "PING of six bytes", wrongSize) { _ in [frame(.ping, 0, 0, [0, 0, 0, 0, 0, 0])] },
        FrameRule("6.8", "GOAWAY on a stream", brokenRule) { _ in
            [frame(.goAway, 0, 3, RawFrame.bytes(of: 0) + RawFrame.bytes(of: 0))]
        },
        FrameRule("6.9", "WINDOW_UPDATE of 0", brokenRule) { _ in [frame(.windowUpdate, 0, 0, RawFrame.bytes(of: 0))] },
        FrameRule("6.9", "WINDOW_UPDATE of 0 on a stream", malformed) { request in
            [headers(request), frame(.windowUpdate, 0, 3, RawFrame.bytes(of: 0))]
        },
        FrameRule("6.9", "WINDOW_UPDATE of three bytes", wrongSize) { _ in [frame(.windowUpdate, 0, 0, [0, 0, 1])] },
        FrameRule("6.9.1", "a window above 2^31 - 1", .connectionEnds([Code.flowControl])) { _ in
            [
                frame(.windowUpdate, 0, 0, RawFrame.bytes(of: .max >> 1)),
                frame(.windowUpdate, 0, 0, RawFrame.bytes(of: .max >> 1)),
            ]
        },
        FrameRule("6.9.1", "a window of a stream above 2^31 - 1", .streamEnds(3, [Code.flowControl])) { request in
            [
                headers(request), frame(.windowUpdate, 0, 3, RawFrame.bytes(of: .max >> 1)),
                frame(.windowUpdate, 0, 3, RawFrame.bytes(of: .max >> 1)),
            ]
        },
        FrameRule("6.9.2", "a window that opens late lets the answer out", answered) { request in
            [
                frame(.settings, 0, 0, setting(4, 0)), headers(request), data(),
                frame(.settings, 0, 0, setting(4, 100)),
            ]
        },
        FrameRule("6.10", "CONTINUATION after CONTINUATION", answered) { request in
            let block = HeaderBlock.bytes(request)
            let (third, rest) = (block.count / 3, block.count / 3 * 2)
            return [
                frame(.headers, 0, 3, Array(block[..<third])), frame(.continuation, 0, 3, Array(block[third..<rest])),
                frame(.continuation, RawFrame.endHeaders, 3, Array(block[rest...])), data(),
            ]
        },
        FrameRule("6.10", "another frame after CONTINUATION", brokenRule) { request in
            [
                frame(.headers, RawFrame.endStream, 3, HeaderBlock.bytes(request)),
                frame(.continuation, 0, 3, HeaderBlock.bytes([("a", "b")])), data(),
            ]
        },
        FrameRule("6.10", "CONTINUATION on stream 0", brokenRule) { request in
            [
                frame(.headers, RawFrame.endStream, 3, HeaderBlock.bytes(request)),
                frame(.continuation, RawFrame.endHeaders, 0, HeaderBlock.bytes([("a", "b")])),
            ]
        },
        FrameRule("6.10", "CONTINUATION after the end of a header block", brokenRule) { request in
            [headers(request), frame(.continuation, RawFrame.endHeaders, 3, HeaderBlock.bytes([("a", "b")]))]
        },
        FrameRule("6.10", "CONTINUATION after DATA", brokenRule) { request in
            [
                headers(request), data(ends: false),
                frame(.continuation, RawFrame.endHeaders, 3, HeaderBlock.bytes([("a", "b")])),
            ]
        },
        FrameRule("8.4", "PUSH_PROMISE of a client", brokenRule) { request in
            [
                headers(request),
                frame(.pushPromise, RawFrame.endHeaders, 3, RawFrame.bytes(of: 4) + HeaderBlock.bytes(request)),
            ]
        },
    ]

    /// Malformed requests (RFC 9113, 8.1.1): the change to a valid one.
    private static let changes: [(section: String, name: String, change: @Sendable (Fields) -> Fields)] = [
        ("8.2", "a name in capitals", { $0 + [("X-TEST", "ok")] }),
        ("8.2.2", "connection", { $0 + [("connection", "keep-alive")] }),
        ("8.2.2", "te other than trailers", { $0 + [("te", "trailers, deflate")] }),
        ("8.3", "an unknown pseudo-header", { [(":test", "ok")] + $0 }),
        ("8.3", "a pseudo-header of responses", { [(":status", "200")] + $0 }),
        ("8.3", "a pseudo-header behind others", { without(":path", $0) + [(":path", "/3/device/00")] }),
        ("8.3.1", "an empty :path", { [(":path", "")] + without(":path", $0) }),
        ("8.3.1", "no :method", { without(":method", $0) }),
        ("8.3.1", "no :scheme", { without(":scheme", $0) }),
        ("8.3.1", "no :path", { without(":path", $0) }),
        ("8.3.1", ":method twice", { [(":method", "POST")] + $0 }),
        ("8.3.1", ":scheme twice", { [(":scheme", "https")] + $0 }),
        ("8.3.1", ":path twice", { [(":path", "/3/device/00")] + $0 }),
        ("8.1.1", "content-length of another length", { $0 + [("content-length", "1")] }),
    ]

    private static let messages: [FrameRule] =
        changes.map { rule in
            FrameRule(rule.section, rule.name, malformed) { request in [headers(rule.change(request)), data()] }
        } + trailers

    private static let trailers = [
        FrameRule("8.3", "a pseudo-header in trailers", malformed) { request in
            [headers(request), data(ends: false), headers([(":method", "POST")], ends: true)]
        },
        FrameRule("8.1.1", "content-length of the length of the first DATA", malformed) { request in
            [headers(request + [("content-length", "2")]), data(ends: false), data()]
        },
    ]

    private static let compression = [
        FrameRule("RFC 7541 2.3.3", "an index that is not there", .connectionEnds([Code.compression])) { request in
            [block(request, behind: [0xFF, 0])]
        },
        FrameRule("RFC 7541 4.2", "a table size at the end", .connectionEnds([Code.compression])) { request in
            [block(request, behind: [0x20])]
        },
        FrameRule("RFC 7541 5.2", "Huffman padding of more than seven bits", .connectionEnds([Code.compression])) {
            request in
            [block(request, behind: [0x00, 0x85, 0xF2, 0xB2, 0x4A, 0x84, 0xFF, 0x84, 0x49, 0x50, 0x9F, 0xFF])]
        },
        FrameRule("RFC 7541 5.2", "Huffman padding of zeros", .connectionEnds([Code.compression])) { request in
            [block(request, behind: [0x00, 0x85, 0xF2, 0xB2, 0x4A, 0x87, 0xFF, 0x83, 0x49, 0x50, 0x90])]
        },
        FrameRule("RFC 7541 5.2", "the end of string in Huffman", .connectionEnds([Code.compression])) { request in
            [
                block(
                    request,
                    behind: [
                        0x00, 0x85, 0xF2, 0xB2, 0x4A, 0x84, 0xFF, 0x87, 0x49, 0x51, 0xFF, 0xFF, 0xFF, 0xFA, 0x7F,
                    ]
                )
            ]
        },
        FrameRule("RFC 7541 6.1", "index 0", .connectionEnds([Code.compression])) { request in
            [block(request, behind: [0x80])]
        },
        FrameRule("RFC 7541 6.3", "a table larger than allowed", .connectionEnds([Code.compression])) { request in
            [block(request, before: [0x3F, 0xE1, 0xFF, 0x7F])]
        },
    ]
}
