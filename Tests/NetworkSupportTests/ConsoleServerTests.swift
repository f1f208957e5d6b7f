internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Testing

@testable internal import WhereaboutsConsole

/// Tests for the limits of a console's server, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct ConsoleServerTests {
    private struct Site: ConsoleSite {
        struct Feed: ConsoleFeed {
            func next() async -> [ConsoleEvent] { [ConsoleEvent("news", "{}")] }
        }
        struct Failure: Error, CustomStringConvertible {
            let description = "not this time; try another"
        }

        let page = ConsolePage("device.html", scripts: ["device-words.js", "device.js"])
        let actions: Set<String> = ["say"]

        func feed(_ query: String) -> any ConsoleFeed { Feed() }

        func act(_ action: String, _ body: String) async throws -> String {
            if body == "fail" { throw Failure() }
            return "[\(body.utf8.count)]"
        }
    }

    /// A browser that opened the page: it has the cookie.
    private struct Visitor {
        let client: HTTPClient
        let origin: String
        let folder: String
        let cookie: String

        init(_ client: HTTPClient, _ address: String) async throws {
            let reply = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(30))
            #expect(reply.status == .seeOther)
            self.client = client
            self.origin = try #require(address.firstMatch(of: /http:\/\/[0-9.:]+/).map { String($0.output) })
            self.folder = try #require(reply.headers.first(name: "location"))
            let cookie = try #require(reply.headers.first(name: "set-cookie"))
            self.cookie = String(cookie.prefix { $0 != ";" })
        }

        func get(_ name: String) async throws -> HTTPClientResponse {
            try await self.client.execute(self.request(name), timeout: .seconds(30))
        }

        /// Gives an order.
        func say(_ body: String) async throws -> (status: HTTPResponseStatus, words: String) {
            var request = self.request("say")
            request.method = .POST
            request.headers.add(contentsOf: ["origin": self.origin, "content-type": "application/json"])
            request.body = .bytes(ByteBuffer(string: body))
            let reply = try await self.client.execute(request, timeout: .seconds(30))
            return (reply.status, String(buffer: try await reply.body.collect(upTo: 1024)))
        }

        private func request(_ name: String) -> HTTPClientRequest {
            var request = HTTPClientRequest(url: self.origin + self.folder + name)
            request.headers.add(name: "cookie", value: self.cookie)
            return request
        }
    }

    /// Goal: a page also opens quickly over a forwarded port.
    @Test(arguments: [
        ("device.html", ["device-words.js", "device.js"]), ("person.html", ["person-words.js", "person.js"]),
        ("dispatch.html", ["dispatch-words.js", "dispatch.js"]),
    ])
    func aPageWithItsMapIsSmall(_ name: String, _ scripts: [String]) {
        let bytes = ConsolePage(name, scripts: scripts).html(nonce: "n").utf8.count
        #expect(bytes > 100_000 && bytes < 200_000)
    }

    private static func withVisitor(_ body: (Visitor) async throws -> Void) async throws {
        let address = await withCheckedContinuation { continuation in
            // It blocks its thread until the tests end.
            Thread.detachNewThread { try? ConsoleServer(Site()).run(port: 0) { continuation.resume(returning: $0) } }
        }
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = ConsoleServer.streamsMax + 2
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(Visitor(client, address))
        }
    }

    @Test func thePageIsOneDocumentThatRunsNothingElse() async throws {
        try await Self.withVisitor { visitor in
            var pages: [String] = []
            for _ in 0..<2 {
                let reply = try await visitor.get("")
                let page = String(buffer: try await reply.body.collect(upTo: 1_000_000))
                let policy = try #require(reply.headers.first(name: "content-security-policy"))
                let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([a-z0-9]+)'/)?.output.1)
                #expect(page.contains("<script nonce=\"\(nonce)\">") && page.contains("<style nonce=\"\(nonce)\">"))
                for part in [
                    "default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
                    "trusted-types 'none'",
                ] { #expect(policy.contains(part), "\(part)") }
                #expect(reply.headers["referrer-policy"] == ["no-referrer"])
                #expect(reply.headers["cache-control"] == ["no-store"])
                #expect(!policy.contains("unsafe") && !page.contains("{{") && !page.contains("innerHTML"))
                pages.append(page)
            }
            #expect(pages[0] != pages[1], "the number is used once")
        }
    }

    @Test func anOrderIsAnsweredOrRefusedInWords() async throws {
        try await Self.withVisitor { visitor in
            let answered = try await visitor.say("hello")
            #expect(answered.status == .ok && answered.words == "[5]")
            let failed = try await visitor.say("fail")
            #expect(failed.status == .conflict && failed.words == "not this time; try another\n")
            let longest = String(repeating: "x", count: ConsoleServer.bodyBytesMax)
            let long = try await visitor.say(longest)
            #expect(long.status == .ok && long.words == "[65536]")
            let tooLong = try await visitor.say(longest + "x")
            #expect(tooLong.status == .payloadTooLarge)
        }
    }

    @Test func aNinthPageIsRefusedUntilOneCloses() async throws {
        try await Self.withVisitor { visitor in
            var open: [HTTPClientResponse.Body.AsyncIterator] = []
            for _ in 0..<ConsoleServer.streamsMax {
                let reply = try await visitor.get("events")
                #expect(reply.status == .ok && reply.headers["content-type"] == ["text/event-stream"])
                var events = reply.body.makeAsyncIterator()
                let first = try #require(try await events.next())
                #expect(String(buffer: first).hasPrefix("event: news\ndata: {}\n\n"))
                open.append(events)
            }
            let ninth = try await visitor.get("events")
            #expect(ninth.status == .serviceUnavailable)
            // An iterator that is released closes its connection.
            open.removeLast()
            // The server notices the end when it writes next.
            while try await visitor.get("events").status != .ok {}
        }
    }

    /// Goal: requests after the first one on a connection are ignored, because their responses would be mixed with the
    /// first one's.
    @Test func onlyOneRequestOnAConnectionIsAnswered() async throws {
        try await Self.withVisitor { visitor in
            let port = try #require(visitor.origin.split(separator: ":").last.flatMap { Int($0) })
            let fields = "Host: 127.0.0.1:\(port)\r\nCookie: \(visitor.cookie)\r\n\r\n"
            let requests = ["events", ""].map { "GET \(visitor.folder)\($0) HTTP/1.1\r\n\(fields)" }
            let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            let channel = try await client.connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
            let heard = try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: requests.joined()))
                var heard = ""
                for try await bytes in inbound {
                    heard += String(buffer: bytes)
                    if heard.matches(of: /event: news/).count > 10 { break }
                }
                return heard
            }
            let heads = heard.matches(of: #/HTTP/1\.1 /#).count
            #expect(heads == 1)
            let page = try await visitor.get("")
            #expect(page.status == .ok)
        }
    }
}
