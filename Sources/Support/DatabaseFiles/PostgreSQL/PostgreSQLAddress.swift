/// The URL of a PostgreSQL database.
package struct PostgreSQLAddress: Sendable, Hashable, CustomStringConvertible {
    /// The URL as libpq reads it; it may contain a password.
    let url: String
    /// The user and the password, as the URL has them.
    private let userInfo: Substring
    /// The passwords that the URL contains.
    private let passwords: [Substring]

    /// Takes a URL of PostgreSQL; nil: the text is a path.
    ///
    /// - Throws: ``PostgreSQLError`` for a URL of another scheme, without the rest of the URL, which may contain a password.
    package init?(_ text: String) throws(PostgreSQLError) {
        guard let scheme = ["postgres://", "postgresql://"].first(where: text.hasPrefix) else {
            guard let other = text.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) else { return nil }
            throw .unusable(
                "--database: \(text[other.range])… is not a URL of PostgreSQL; give postgres://HOST/NAME, or the path of a file"
            )
        }
        self.url = text
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        self.userInfo = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
        let own = self.userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
        let query = rest.split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
        let named = query.filter { $0.hasPrefix("password=") || $0.hasPrefix("sslpassword=") }
            .compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
        self.passwords = (own + named).filter { !$0.isEmpty }
    }

    /// Whether the URL contains a password, which nobody but the owner may read.
    package var hasPassword: Bool { !self.passwords.isEmpty }

    /// Whether libpq would take a part of the password for the host's name.
    var isAmbiguous: Bool { self.userInfo.contains("@") }

    /// The URL without a user, a password and options, for people.
    package var description: String {
        let text = String(self.url.prefix { $0 != "?" })
        return self.userInfo.isEmpty ? text : text.replacing("\(self.userInfo)@", with: "", maxReplacements: 1)
    }

    /// Returns a text of libpq, which may repeat a part of the URL, in one line and without its passwords.
    func withoutPasswords(_ text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix(while: \.isWhitespace) }
        return self.passwords.reduce(lines.joined(separator: "; ")) { $0.replacing($1, with: "…") }
    }
}
