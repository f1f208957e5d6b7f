internal import NIOHTTP2

/// A rule of HTTP/2 that a provider's connection broke, as its counter names it.
enum BrokenRule: String, CaseIterable {
    /// Many streams were opened and reset.
    case resets
    /// Pings, settings and priorities without end.
    case controlFrames = "control_frames"
    /// Windows, priorities and unknown frames, far more than requests.
    case idleFrames = "idle_frames"
    /// A header block in ever more pieces.
    case continuations
    /// A header block that is too large, as sent or unpacked.
    case headerBlock = "header_block"
    /// Empty pieces of a body without end.
    case emptyData = "empty_data"
    /// Many requests were malformed.
    case streamErrors = "stream_errors"
    /// Many oddities, of which no single one would end a connection.
    case glitches
    /// Answers that are asked for and never read.
    case unread
    /// More requests at a time than were announced.
    case streams
    /// The connection does not begin like HTTP/2.
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

/// More resets than a provider without a good token may have.
struct StrangerResets: Error {}
