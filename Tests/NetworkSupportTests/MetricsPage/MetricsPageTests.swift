internal import CoreMetrics
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Testing
internal import WhereaboutsNetworkSupport

@Suite struct MetricsPageTests {
    @Test func everyKindStandsOnThePageOnceWithItsKind() {
        let registry = MetricsRegistry()
        for reason in ["b", "a"] {
            Counter(label: "pushes_total", dimensions: [("reason", reason)], factory: registry).increment(by: 2)
        }
        Counter(label: "pushes_total", dimensions: [("reason", "a")], factory: registry).increment()
        Meter(label: "links", factory: registry).set(7)
        Timer(label: "commit.seconds", factory: registry).recordNanoseconds(1_500_000_000)
        #expect(
            registry.page == """
                # TYPE commit_seconds summary
                commit_seconds_sum 1.5
                commit_seconds_count 1
                # TYPE links gauge
                links 7
                # TYPE pushes_total counter
                pushes_total{reason="a"} 3
                pushes_total{reason="b"} 2

                """
        )
    }

    @Test func aValueThatWouldBreakALineIsEscaped() {
        let registry = MetricsRegistry()
        Meter(label: "a", dimensions: [("b", "\"\\\n")], factory: registry).set(1.5)
        #expect(registry.page == "# TYPE a gauge\na{b=\"\\\"\\\\\\n\"} 1.5\n")
    }

    @Test func thePageIsServedAndNothingElse() async throws {
        let registry = MetricsRegistry()
        Meter(label: "links", factory: registry).set(7)
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await MetricsListener(host: "127.0.0.1", port: 0, registry: registry, group: group)
        let port = try #require(listener.port)
        let rest = "HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        let page = try await Self.answer(to: "GET /metrics " + rest, port: port)
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.hasSuffix("\r\n\r\n# TYPE links gauge\nlinks 7\n"))
        let other = try await Self.answer(to: "POST / " + rest, port: port)
        #expect(other.hasPrefix("HTTP/1.1 404 "))
        try await listener.close()
    }

    /// Goal: probes that use HEAD, or a query, get the same response, and HEAD gets no body.
    @Test(arguments: ["/metrics", "/health", "/ready"]) func aHeadAndAQueryAreAnswered(path: String) async throws {
        let listener = try await MetricsListener(
            host: "127.0.0.1",
            port: 0,
            registry: MetricsRegistry(),
            group: MultiThreadedEventLoopGroup.singleton
        )
        let port = try #require(listener.port)
        let rest = "HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        let whole = try await Self.answer(to: "GET \(path)?x=1 " + rest, port: port)
        let head = try await Self.answer(to: "HEAD \(path) " + rest, port: port)
        #expect(whole.hasPrefix("HTTP/1.1 200 ") && head.hasPrefix("HTTP/1.1 200 "))
        #expect(head.hasSuffix("\r\n\r\n") && whole.hasPrefix(head))
        let missing = try await Self.answer(to: "HEAD /nothing " + rest, port: port)
        #expect(missing.hasPrefix("HTTP/1.1 404 ") && missing.hasSuffix("\r\n\r\n"))
        try await listener.close()
    }

    /// Goal: `/health` and `/ready` distinguish whether the service runs, and whether it can do its work.
    @Test(arguments: [(true, "200"), (false, "503")]) func healthAndReadinessAreSaid(
        isReady: Bool,
        status: String
    ) async throws {
        let listener = try await MetricsListener(
            host: "127.0.0.1",
            port: 0,
            registry: MetricsRegistry(),
            group: MultiThreadedEventLoopGroup.singleton,
            isReady: { isReady }
        )
        let port = try #require(listener.port)
        let rest = "HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        #expect(try await Self.answer(to: "GET /health " + rest, port: port).hasPrefix("HTTP/1.1 200 "))
        #expect(try await Self.answer(to: "GET /ready " + rest, port: port).hasPrefix("HTTP/1.1 \(status) "))
        try await listener.close()
    }

    /// The bytes received on a connection, up to its end.
    private static func answer(to request: String, port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var answer = ""
            for try await part in inbound { answer += String(buffer: part) }
            return answer
        }
    }
}
