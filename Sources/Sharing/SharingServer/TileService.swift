/// A service of street maps that the page of a link offers, if the server's operator names one.
///
/// The page requests no tiles before a person presses a button that says which data the service will see (ADR 0118).
package struct TileService: Sendable, Hashable {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` in place of its zoom level, column and row.
    package let form: String
    /// The only other origin from which the page may load pictures.
    let origin: String

    /// The required form of an address, in words.
    package static let rule =
        "https, a host in lower case, and behind it {z}, {x} and {y}, once each and no other braces, "
        + "as in https://tile.example.org/{z}/{x}/{y}.png"

    /// Reads an address of tiles; nil if it breaks the ``rule``.
    ///
    /// Both parts are written into header fields, so only characters without a meaning there are accepted.
    package init?(_ text: String) {
        let form = #/(https:\/\/[a-z0-9]+(?:[.-][a-z0-9]+)*(?::([0-9]+))?)\/([A-Za-z0-9._~\/?&=%@{}-]+)/#
        guard let parts = text.wholeMatch(of: form), parts.2.map({ UInt16($0) ?? 0 > 0 }) ?? true,
            ["{z}", "{x}", "{y}"].allSatisfy({ parts.3.ranges(of: $0).count == 1 }),
            parts.3.count(where: { "{}".contains($0) }) == 6
        else { return nil }
        self.form = text
        self.origin = String(parts.1)
    }
}
