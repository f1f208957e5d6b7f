internal import WhereaboutsCPages

/// A page of a console: a single document that contains its style, scripts and map.
package struct ConsolePage: Sendable {
    private let html: String

    /// Inserts files into the document of all consoles.
    ///
    /// - Parameters:
    ///   - name: the file with the content of the document's `main`, such as `device.html`.
    ///   - scripts: the page's own scripts; each may use the earlier scripts.
    package init(_ name: String, scripts: [String]) {
        let shared = ["world.js", "map.js", "text.js", "console.js"]
        let own = scripts.first.map { [$0] } ?? []
        // Texts come first, because the shared scripts choose the language when they run.
        let all = own + shared + scripts.dropFirst()
        self.html = Self.file("console.html")
            .replacing("{{main}}", with: Self.file(name))
            .replacing("{{style}}", with: Self.file("style.css") + Self.file("console.css"))
            .replacing("{{script}}", with: all.map(Self.file).joined())
            .replacing("{{world.txt}}", with: Self.file("world.txt"))
    }

    /// The document with a nonce, by which the browser recognizes its scripts.
    package func html(nonce: String) -> String { self.html.replacing("{{nonce}}", with: nonce) }

    /// The header field `content-security-policy` for the page.
    ///
    /// The page of a link uses hashes instead of a nonce, so that it can be compared with a published page. This page
    /// is not compared, and hashes would need a cryptography library in `locationctl`.
    package static func policy(nonce: String) -> String {
        [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "img-src data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func file(_ name: String) -> String {
        var count = 0
        guard let start = unsafe page_file(name, &count) else {
            preconditionFailure("\(name) is not among the files of CPages")
        }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
