internal import Crypto
internal import Foundation
internal import WhereaboutsCPages

/// A page of the viewer: one document that contains its style and scripts, with a policy that blocks everything else.
package struct ViewerPage: Sendable {
    /// The document.
    package let html: String
    private let policy: String

    /// Returns the field `content-security-policy`.
    package func policy(_ tiles: TileService?) -> String {
        guard let tiles else { return self.policy }
        return self.policy.replacing("img-src data:", with: "img-src data: \(tiles.origin)")
    }

    /// The SHA-256 of the document, in hexadecimal digits.
    package var digest: String {
        SHA256.hash(data: Data(self.html.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// The page that opens a link.
    package static let see = ViewerPage(
        "see.html",
        scripts: ["first.js": ["first.js"], "script": Self.scripts],
        styles: ["style.css", "see.css"],
        others: ["world.txt"],
        connects: true
    )
    /// The page that moves a key from the path back into the fragment.
    package static let repair = ViewerPage("repair.html", scripts: ["repair.js": ["repair.js"]])

    /// The files of the page's script; each one may use the earlier ones.
    private static let scripts = [
        "bytes.js", "cryptography.js", "protocol.js", "world.js", "map.js", "words.js", "text.js", "server.js",
        "page.js",
    ]

    /// Inserts the files where the document says `{{name}}`.
    private init(
        _ name: String,
        scripts: [String: [String]],
        styles: [String] = [],
        others: [String] = [],
        connects: Bool = false
    ) {
        let style = styles.map(Self.file).joined()
        var html = Self.file(name).replacing("{{style}}", with: style)
        var hashes: [String] = []
        for (place, files) in scripts.sorted(by: { $0.key < $1.key }) {
            let script = files.map(Self.file).joined()
            html = html.replacing("{{\(place)}}", with: script)
            hashes.append(Self.source(of: script))
        }
        for file in others { html = html.replacing("{{\(file)}}", with: Self.file(file)) }
        self.html = html
        let directives = [
            "default-src 'none'",
            "script-src \(hashes.joined(separator: " "))",
            "style-src \(styles.isEmpty ? "'none'" : Self.source(of: style))",
            "img-src data:",
            "connect-src \(connects ? "'self'" : "'none'")",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ]
        self.policy = directives.joined(separator: "; ")
    }

    private static func source(of text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }

    private static func file(_ name: String) -> String {
        var count = 0
        guard let start = unsafe page_file(name, &count) else {
            preconditionFailure("\(name) is not among the files of CPages")
        }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
