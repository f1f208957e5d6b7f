internal import NIOCore
internal import Testing
internal import WhereaboutsNetworkSupport

/// Tests for the error messages about an address that cannot be listened on.
struct ListeningFailureTests {
    @Test(arguments: [
        (98, "another program"), (13, "may not be used by"), (99, "not an address of this machine"), (12, "IOError"),
    ])
    func numberHasWordsAndRemedy(errno: CInt, words: String) {
        let failure = "\(ListeningFailure("127.0.0.1:1", IOError(errnoCode: errno, reason: "bind")))"
        #expect(failure.hasPrefix("127.0.0.1:1 ") && failure.contains(words) && failure.contains("; give "))
        #expect(!failure.contains("errno"))
    }
}
