internal import NIOCore
internal import NIOSSL
internal import Testing
internal import WhereaboutsNetworkSupport

/// Tests for the error messages about a peer that cannot be reached.
struct ConnectionFailureTests {
    private struct Strange: Error {}

    @Test(arguments: [ConnectionFailure.notHTTP2, .refusedByProxy(407), .certificateRefused])
    func aFailureOfOursHasWords(failure: ConnectionFailure) {
        #expect(failure.words(trustRoots: "--roots").contains("; check "))
    }

    @Test(
        arguments: [
            (NIOSSLExtraError.failedToValidateHostname, .untrusted),
            (NIOSSLError.unableToValidateCertificate, .untrusted),
            (IOError(errnoCode: 111, reason: "connect"), .refused), (IOError(errnoCode: 104, reason: "read"), .broken),
            (ChannelError.connectTimeout(.seconds(1)), .timedOut), (ChannelError.ioOnClosedChannel, .broken),
            (Strange(), .other("Strange")),
        ] as [(any Error, ConnectionFailure)]
    )
    func libraryErrorHasWords(error: any Error, failure: ConnectionFailure) {
        #expect(ConnectionFailure(error) == failure)
        #expect(ConnectionFailure(failure) == failure)
        let words = failure.words(trustRoots: "--roots")
        #expect(!words.contains("Error:") && !words.contains(".swift"))
        #expect(words.contains("--roots") == (failure == .untrusted))
        // To the library, a wrong clock looks the same.
        #expect(words.contains("clock") == (failure == .untrusted))
    }
}
