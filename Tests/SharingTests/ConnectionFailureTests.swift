internal import AsyncHTTPClient
internal import NIOCore
internal import Testing
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for the error messages about a server that cannot be reached.
struct ConnectionFailureTests {
    private struct Strange: Error {}

    @Test(
        arguments: [
            (HTTPClientError.connectTimeout, .timedOut), (HTTPClientError.deadlineExceeded, .timedOut),
            (HTTPClientError.remoteConnectionClosed, .broken), (Strange(), .other("Strange")),
            (IOError(errnoCode: 111, reason: "connect"), .refused),
        ] as [(any Error, ConnectionFailure)]
    )
    func libraryErrorHasWords(error: any Error, failure: ConnectionFailure) {
        #expect(ConnectionFailure(request: error) == failure)
        #expect(ConnectionFailure(request: failure) == failure)
    }

    @Test func dateOfAReplyIsRead() {
        #expect(HTTPDate.time(of: "Sun, 06 Nov 1994 08:49:37 GMT") == WallTime(milliseconds: 784_111_777_000))
        #expect(HTTPDate.time(of: "Sun Nov  6 08:49:37 1994") == nil && HTTPDate.time(of: "") == nil)
        #expect(HTTPDate.time(of: "Sun, 99 Foo 1994 08:49:37 GMT") == nil)
    }
}
