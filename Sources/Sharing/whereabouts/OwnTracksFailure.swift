internal import Foundation
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharing

/// The reason why a self-hosted receiver has not stored a position, without text from the receiver.
enum OwnTracksFailure: Hashable {
    /// The text is not a valid URL of a receiver.
    case notURL
    /// The receiver could not be reached.
    case notReached(ConnectionFailure)
    case status(Int)

    /// The rule and the remedy, to be printed after a colon.
    var words: String {
        switch self {
        case .notURL: "it is not the URL of a receiver; give https://host/path, or http://localhost"
        case .notReached(.untrusted):
            "its certificate has no issuer that this system trusts, is for another host, has expired or is not valid yet; "
                + "put the authority into the system's store, and give the host as the certificate has it; or check this machine's clock, "
                + "and have the certificate renewed"
        case .notReached(let failure): failure.words(trustRoots: "the system's store")
        case .status(300..<400):
            "it redirects to another URL, and positions are sent only to the given one; give the URL that it redirects to"
        case .status(401), .status(403):
            "it requires a login; give a user and a password in the URL, https://user:password@host/path"
        case .status(404), .status(405):
            "nothing accepts positions at this path; check it (OwnTracks Recorder: /pub; other receivers document theirs)"
        case .status(429): "it limits how often positions are sent; the next position is tried again"
        case .status(let status) where status >= 500: "it failed (status \(status)); look at its log"
        case .status(let status):
            "it does not accept positions in this format (status \(status)); check the URL, and what it expects"
        }
    }

    /// The failure as an error that ends the command.
    func error(at url: String) -> SharingError { SharingError(.badText, "\(Self.shown(url)): \(self.words)") }

    /// A URL without secrets: no user, no password, and no query, which often holds a key.
    static func shown(_ url: String) -> String {
        if var parts = URLComponents(string: url), parts.host != nil {
            (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
            if let text = parts.string { return text }
        }
        // If the text is not a URL, hide everything before an @: it may be a password, in which a slash makes the URL
        // invalid.
        let text = url.prefix { $0 != "?" && $0 != "#" }
        return String(text.lastIndex(of: "@").map { text[text.index(after: $0)...] } ?? text)
    }
}
