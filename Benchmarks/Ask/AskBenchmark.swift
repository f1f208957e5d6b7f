internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOSSL
internal import Rig
internal import WhereaboutsSharing

extension Benchmark {
    /// One request from end to end.
    static let ask = Benchmark(name: "ask") { try await AskBenchmark.run() }
}

/// From the request to the opened answer: a recent fix at hand, the extension started cold each time.
///
/// The extension is built as it ships: with Swift's library within, it starts some milliseconds sooner. The reference is the
/// least that any design needs: a process started and ended, one full TLS handshake, one request. Several askers at a time are
/// compared with two: beyond saturation, the rate must not fall, and no asker may wait long.
enum AskBenchmark {
    static let requests = 200
    /// The requests of each of several askers; a grant without an interval allows 30 in a row.
    static let requestsEach = 25
    static let askers = 8
    private static let `extension` = "FindFriendsLocationPush"

    static func run() async throws -> [Figure] {
        var asked: [Times] = []
        var floor: [Double] = []
        let shipped = try Shipping.build([Self.extension]) + "/" + Self.extension
        try await self.withInstallation(extension: shipped) { installation in
            let bob = try installation.makeRequester("bob")
            let requester = try Requester(profile: SharingProfile(path: bob.profile))
            var grant = try self.approve(bob, installation)
            // The first request turns the receiver on.
            _ = try await self.ask(requester, grant)
            for number in 0..<self.requests {
                // A grant without an interval allows 30 requests in a row.
                if number % 25 == 24 { grant = try self.approve(bob, installation) }
                asked.append(try await self.ask(requester, grant))
                if number % 4 == 0 { floor.append(try await self.floor(installation)) }
            }
        }
        let (two, many) = try await self.crowds(extension: shipped)
        let reference = floor.quantile(0.5)
        func figure(_ name: String, _ value: Double) -> Figure {
            Figure(
                name: name,
                value: value,
                unit: "ms",
                ratio: value / reference,
                reference: "floor p50 \(String(format: "%.1f", reference)) ms (spawn, TLS handshake, request)"
            )
        }
        let answered = asked.map(\.answered)
        return [
            figure("p50", answered.quantile(0.5)), figure("p95", answered.quantile(0.95)),
            figure("p99", answered.quantile(0.99)),
            // The parts of the time: medians, from the request on, and on the device from the extension's first line on.
            figure("until-accepted", asked.map(\.accepted).quantile(0.5)),
            figure("until-pushed", asked.map(\.pushed).quantile(0.5)),
            figure("in-extension", asked.map(\.inExtension).quantile(0.5)),
            figure("\(self.askers)-askers-p99", many.times.quantile(0.99)),
            Figure(
                name: "\(self.askers)-askers-rate",
                value: many.rate,
                unit: "answers/s",
                ratio: many.rate / two.rate,
                reference: "two askers' \(String(format: "%.1f", two.rate)) answers/s"
            ),
        ]
    }

    /// Runs a measurement while all programs that an answer needs run.
    ///
    /// The device accepts more requests than its daily budget, and its receiver stays on throughout.
    ///
    /// - Parameters:
    ///   - executable: the extension; that of the other programs' build, if not given.
    ///   - body: the measurement.
    /// - Returns: the result of `body`.
    /// - Throws: ``RigError``, and the errors of `body`.
    static func withInstallation<Result>(
        extension executable: String? = nil,
        _ body: (Installation) async throws -> Result
    ) async throws -> Result {
        let installation = try Installation()
        defer {
            installation.stop()
            installation.workspace.remove()
        }
        try installation.startAll(policy: ["push-budget-capacity": "1000"])
        if let executable { try installation.replaceExtension(by: executable) }
        return try await body(installation)
    }

    static func approve(
        _ requester: RequesterFiles,
        _ installation: Installation
    ) throws -> Signed<Grant> {
        try installation.approve(requester)
        return try Signed<Grant>(text: String(contentsOfFile: requester.grant, encoding: .utf8))
    }

    /// Two askers and several at a time, with a separate device, because a server keeps at most 256 requests to a sharer for two minutes.
    private static func crowds(extension executable: String) async throws -> (two: Crowd, many: Crowd) {
        try await self.withInstallation(extension: executable) { installation in
            (try await self.crowd(2, installation), try await self.crowd(self.askers, installation))
        }
    }

    /// Has several requesters ask at the same time, each one request after the other.
    private static func crowd(
        _ count: Int,
        _ installation: Installation
    ) async throws -> Crowd {
        let askers = try (0..<count).map { number in
            let asker = try installation.makeRequester("asker-\(count)-\(number)")
            return (
                requester: try Requester(profile: SharingProfile(path: asker.profile)),
                grant: try self.approve(asker, installation)
            )
        }
        let begin = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for asker in askers {
                group.addTask {
                    var times: [Double] = []
                    for _ in 0..<self.requestsEach {
                        times.append(try await self.ask(asker.requester, asker.grant).answered)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return Crowd(rate: Double(times.count) / ((ContinuousClock.now - begin) / .seconds(1)), times: times)
    }

    /// One request, in milliseconds.
    struct Times {
        var accepted = 0.0
        var pushed = 0.0
        var inExtension = 0.0
        var answered = 0.0
    }

    /// The result for several askers: answers a second, and the milliseconds of each answer.
    private struct Crowd {
        var rate: Double
        var times: [Double]
    }

    static func ask(_ requester: Requester, _ grant: Signed<Grant>) async throws -> Times {
        let begin = ContinuousClock.now
        var times = Times()
        for await update in requester.ask(grant) {
            let elapsed = (ContinuousClock.now - begin) / .milliseconds(1)
            if let answer = update.answer, case .fix = answer.content {
                times.answered = elapsed
                times.inExtension = answer.timings.sealed / .milliseconds(1)
                return times
            }
            switch update.state.kind {
            case .accepted: times.accepted = elapsed
            case .pushed: times.pushed = elapsed
            case .woken, .locating, .asking: break
            case .answered, .refused, .tooSoon, .unreachable, .expired, .failed:
                throw RigError("a request", "it ended as \(update.state)")
            }
        }
        throw RigError("a request", "it ended without a state")
    }

    /// Milliseconds of one empty process, and of one request on a new connection.
    private static func floor(_ installation: Installation) async throws -> Double {
        let begin = ContinuousClock.now
        _ = try installation.run("minimal", [])
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(installation.workspace.authorityPath)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let response = try await client.execute(
            HTTPClientRequest(url: installation.server + "/v1/health"),
            timeout: .seconds(10)
        )
        _ = try await response.body.collect(upTo: 65536)
        let time = (ContinuousClock.now - begin) / .milliseconds(1)
        try await client.shutdown()
        return time
    }
}
