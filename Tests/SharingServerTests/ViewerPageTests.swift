internal import Crypto
internal import Foundation
internal import Testing

@testable internal import WhereaboutsSharingServer

/// Tests for the page that opens a link, and for a link whose `#` was changed in transit.
@Suite(.timeLimit(.minutes(1))) struct ViewerPageTests {
    private let town: Town

    init() throws { self.town = try Town() }

    /// Goal: the page loads nothing from other servers, and the browser runs only its scripts.
    @Test func thePageIsOneSmallDocument() async throws {
        let town = self.town
        let reply = try await town.withServer { port in
            try await RawClient(town, port: port, from: "127.0.0.1").document("/see")
        }
        let (head, page) = try Self.parts(of: reply)
        #expect(head.hasPrefix("HTTP/1.1 200 "))
        #expect(ViewerPage.see.html.utf8.count < 200_000 && page.count > 100_000)
        for part in [
            "default-src 'none'; script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'",
            "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
            "referrer-policy: no-referrer", "cache-control: no-store",
        ] { #expect(head.lowercased().contains(part), "\(part)") }
        #expect(!head.contains("unsafe") && !page.contains("{{") && !page.contains("innerHTML"))
        let digest = SHA256.hash(data: Data(ViewerPage.see.html.utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(ViewerPage.see.digest == digest)
    }

    /// Goal: with street maps, the page may load from one more origin, and the page that `verify-viewer` compares stays
    /// the same.
    @Test func theOperatorNamesStreetMaps() async throws {
        let town = self.town
        let tiles = try #require(TileService("https://tile.example.org:444/a/{z}/{x}/{y}@2x.png?key=a-b"))
        let (head, page) = try Self.parts(
            of: await town.withServer(tiles: tiles) { port in
                try await RawClient(town, port: port, from: "127.0.0.1").document("/see")
            }
        )
        #expect(head.contains("; img-src data: https://tile.example.org:444; ") && page == ViewerPage.see.html)
        #expect(ViewerPage.see.policy(nil).contains("; img-src data:; "))
    }

    @Test(
        arguments: [
            "http://tile.example.org/{z}/{x}/{y}.png", "https://tile.example.org/{z}/{x}.png",
            "https://a@tile.example.org/{z}/{x}/{y}.png", "https://{z}/{x}/{y}", "https://t.org/{z}/{x}/{y}/{y}",
            "https://tile.example.org/{z}/{x}/{y}; script-src *", "https://*/{z}/{x}/{y}",
            "https://t.org/{z}/{x}/{y}\r\na: b", "https://t.org:65536/{z}/{x}/{y}", "https://t.org:0/{z}/{x}/{y}",
            "https://a..b/{z}/{x}/{y}", "https://-/{z}/{x}/{y}", "https://t.org/{z}/{x}/{y}{r}",
            "https://t.org/{z}/{x}/{y}}",
        ]
    )
    func whatIsNoAddressOfTilesIsRefused(_ text: String) { #expect(TileService(text) == nil) }

    /// Goal: a key that is sent in the path appears in no log and no file, and the page restores the link.
    @Test(arguments: ["%23", "%2523"]) func aKeyInThePathIsKeptNowhere(_ mark: String) async throws {
        let town = self.town
        let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        let reply = try await town.withServer { port in
            let reply = try await RawClient(town, port: port, from: "127.0.0.1").document("/see\(mark)\(key)")
            // Other paths are unknown like any other, and are not logged.
            _ = try await RawClient(town, port: port, from: "127.0.0.1").get("/see/\(key)", authorization: key)
            return reply
        }
        let (head, page) = try Self.parts(of: reply)
        #expect(head.hasPrefix("HTTP/1.1 400 ") && head.contains("connect-src 'none'") && head.contains("no-store"))
        #expect(page.contains("history.replaceState") && !page.contains(key) && !head.contains(key))
        #expect(!town.log.text.contains(key) && !town.log.text.contains("/see"), "\(town.log.text)")
        let files = FileManager.default.enumerator(atPath: town.directory)?.compactMap { $0 as? String } ?? []
        #expect(files.contains("server.sqlite"))
        for file in files {
            let bytes = FileManager.default.contents(atPath: town.path(file)) ?? Data()
            #expect(bytes.range(of: Data(key.utf8)) == nil, "\(file)")
        }
    }

    private static func parts(of reply: String) throws -> (head: Substring, page: Substring) {
        let end = try #require(reply.range(of: "\r\n\r\n"))
        return (reply[..<end.lowerBound], reply[end.upperBound...])
    }
}
