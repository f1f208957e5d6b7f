internal import NIOHTTP2

/// A rule of HTTP/2 that a provider's connection broke; the raw value labels the counter.
enum BrokenRule: String, CaseIterable {
    /// Many streams were opened and reset.
    case resets
    /// Too many pings, settings and priorities.
    case controlFrames = "control_frames"
    /// Far more window updates, priorities and unknown frames than requests.
    case idleFrames = "idle_frames"
    /// A header block in too many pieces.
    case continuations
    /// A header block that is too large, compressed or decompressed.
    case headerBlock = "header_block"
    /// Too many empty pieces of a body.
    case emptyData = "empty_data"
    /// Many requests were malformed.
    case streamErrors = "stream_errors"
    /// Too many minor violations, none of which would end a connection by itself.
    case glitches
    /// The client requests answers but does not read them.
    case unread
    /// More concurrent requests than the announced limit.
    case streams
    /// The connection does not begin with the HTTP/2 preface.
    case preface
    /// Another rule of frames, windows or states.
    case other

    init(_ error: any Error) {
        self =
            switch error {
            case is NIOHTTP2Errors.ExcessiveRSTFrames, is StrangerResets: .resets
            case is NIOHTTP2Errors.ExcessiveControlFrames: .controlFrames
            case is IdleFrameFlood: .idleFrames
            case is NIOHTTP2Errors.ExcessiveContinuationFrames: .continuations
            case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock: .headerBlock
            case is NIOHTTP2Errors.ExcessiveEmptyDataFrames: .emptyData
            case is NIOHTTP2Errors.ExcessiveStreamErrors, is MalformedRequestFlood: .streamErrors
            case is NIOHTTP2Errors.ExcessiveNumberOfGlitches: .glitches
            case is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering: .unread
            case is NIOHTTP2Errors.MaxStreamsViolation: .streams
            case is NIOHTTP2Errors.BadClientMagic: .preface
            default: .other
            }
    }
}

/// More malformed requests than a connection may have.
struct MalformedRequestFlood: Error {}

/// More resets than a provider without a valid token may have.
struct StrangerResets: Error {}
