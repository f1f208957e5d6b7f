internal import Testing
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsCommand

/// Tests for the error messages about a self-hosted receiver that stored no position.
struct OwnTracksFailureTests {
    @Test(
        arguments: [
            ("https://recorder.example.org/pub", "https://recorder.example.org/pub"),
            ("https://carol:hidden@host:8443/pub?key=hidden#hidden", "https://host:8443/pub"),
            ("https://carol:hidden@host", "https://host"),
            ("https://host/a@b", "https://host/a@b"),
            // The slash ends the host and port, so the rest is not a port.
            ("https://carol:hid/den@host/pub", "host/pub"),
            ("ftp://carol:hidden@host/pub", "ftp://host/pub"),
            ("hidden@host?key=hidden", "host"),
            ("host/pub", "host/pub"),
        ]
    )
    func nothingThatLetsOneInIsShown(_ url: String, _ shown: String) {
        #expect(OwnTracksFailure.shown(url) == shown)
        #expect(!OwnTracksFailure.notURL.error(at: url).message.contains("hid"))
    }

    /// Method: each kind of failure has a different remedy, and none contains the name of a type.
    @Test func eachFailureHasItsRemedy() {
        let failures: [OwnTracksFailure] =
            [300, 401, 404, 429, 500, 418].map { .status($0) }
            + [.notURL, .notReached(.untrusted), .notReached(.refused), .notReached(.timedOut)]
        let words = failures.map(\.words)
        #expect(Set(words).count == failures.count)
        for words in words { #expect(words.contains(";") && !words.contains("--"), "\(words)") }
    }
}
