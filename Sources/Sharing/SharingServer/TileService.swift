/// A service of street maps that the page of a link offers, if the server's operator names one.
///
/// The page asks it for nothing before a person presses a button that says what the service learns (ADR 0118).
package struct TileService: Sendable, Hashable {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` in place of its zoom level, column and row.
    package let form: String
    /// The one origin besides its own from which the page may load pictures.
    let origin: String

    /// Reads an address of tiles; nil if it is no such address.
    ///
    /// Both parts go into fields of replies, so only characters that mean nothing there are accepted.
    package init?(_ text: String) {
        guard let parts = text.wholeMatch(of: #/(https:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?)\/[A-Za-z0-9._~\/?&=%@{}-]+/#),
            ["{z}", "{x}", "{y}"].allSatisfy({ text.ranges(of: $0).count == 1 })
        else { return nil }
        self.form = text
        self.origin = String(parts.1)
    }
}
