internal import Foundation
internal import Logging
internal import Synchronization
internal import Testing
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsSharingServer

/// Tests for log messages about a failing store, and about another server that still runs.
struct StoreTroubleTests {
    /// Goal: the log has the reason of a 503, and does not fill a full disk further.
    @Test func storeErrorsAreLoggedOnceAMinute() throws {
        let capture = LogCapture()
        let now = Mutex(ContinuousClock.now)
        let log = StoreHealth(capture.logger, now: { now.withLock { $0 } })
        func lines() -> [Substring] { capture.text(above: .warning).split(separator: "\n") }
        log.failed(TownError())
        #expect(lines().count == 1 && lines()[0].contains("503") && lines()[0].contains("TownError"))
        for _ in 0..<3 { log.failed(TownError()) }
        #expect(lines().count == 1)
        now.withLock { $0 = $0.advanced(by: .seconds(60)) }
        log.failed(TownError())
        #expect(lines().count == 2 && lines()[1].contains("3"))
    }

    /// Goal: `/ready` fails while the server starts or stops, or cannot write, so that a load balancer sends it no
    /// requests.
    @Test func aServerIsReadyWhileItServes() async throws {
        let town = try Town()
        let configuration = SharingServer.Configuration(
            host: "127.0.0.1",
            port: 0,
            certificate: town.path("tls.pem"),
            privateKey: town.path("tls.key"),
            database: town.path("server.sqlite")
        )
        let server = try SharingServer(configuration: configuration, push: town.push, logger: town.log.logger)
        #expect(!server.isReady)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let serving = Task { try await server.run(onListening: { continuation.yield($0) }) }
        for await _ in ports { break }
        #expect(server.isReady)
        serving.cancel()
        _ = await serving.result
        #expect(!server.isReady)
        let health = StoreHealth(town.log.logger)
        health.failed(TownError())
        #expect(!health.isWell)
        health.wrote()
        #expect(health.isWell)
    }

    /// Goal: a server that starts while its predecessor stops takes over.
    @Test func theDatabaseIsWaitedFor() async throws {
        let town = try Town()
        func server(_ patience: Duration) throws -> SharingServer {
            var configuration = SharingServer.Configuration(
                host: "127.0.0.1",
                port: 0,
                certificate: town.path("tls.pem"),
                privateKey: town.path("tls.key"),
                database: town.path("server.sqlite")
            )
            configuration.lockPatience = patience
            return try SharingServer(configuration: configuration, push: town.push, logger: town.log.logger)
        }
        var first: SharingServer? = try server(.zero)
        #expect(throws: SharingError(.badProfile, "")) { try server(.zero) }
        _ = first
        let second = Task.detached { try server(.seconds(60)) }
        first = nil
        _ = try await second.value
    }
}
