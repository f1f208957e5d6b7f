internal import NIOHTTP2

/// Errors that NIO reports on a connection, but that concern only one stream, which NIO has already reset.
///
/// A request with an invalid header must not end other requests of its connection.
package enum StreamErrors {
    /// Returns whether an error concerns only one stream.
    package static func contains(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.NoSuchStream: true
        case is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders,
            is NIOHTTP2Errors.InvalidPseudoHeaderValue, is NIOHTTP2Errors.MissingHostHeader,
            is NIOHTTP2Errors.DuplicateHostHeader, is NIOHTTP2Errors.EmptyPathHeader,
            is NIOHTTP2Errors.TrailersWithoutEndStream, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName,
            is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue, is NIOHTTP2Errors.ForbiddenHeaderField:
            true
        case is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.ContentLengthHeaderMalformedValue:
            true
        default: false
        }
    }
}
