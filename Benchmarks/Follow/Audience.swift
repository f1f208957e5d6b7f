internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Rig
internal import Synchronization

/// The followers, each with its own connection, and the posts that they receive.
final class Audience: Sendable {
    struct Member: Sendable {
        /// The address to which updates are posted, and from which they are read.
        let address: String
        /// The signed message that permits reading, if the server requires one.
        var authorization: String?
        let update: @Sendable () throws -> [UInt8]

        init(
            address: String,
            authorization: String? = nil,
            update: @escaping @Sendable () throws -> [UInt8]
        ) {
            self.address = address
            self.authorization = authorization
            self.update = update
        }
    }

    private static let timeout = TimeAmount.seconds(120)

    let http: HTTPClient
    private let opened = Atomic(0)
    private let seen = Atomic(0)

    init(trustRoots: String) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(trustRoots))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 512
        self.http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func shutdown() async throws { try await self.http.shutdown() }

    /// Posts bytes, and expects that the server accepts them.
    func post(_ body: [UInt8], to address: String) async throws {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.body = .bytes(body)
        let response = try await self.http.execute(request, timeout: Self.timeout)
        _ = try await response.body.collect(upTo: 65_536)
        guard (200..<300).contains(response.status.code) else {
            throw RigError(address, "answered with \(response.status.code)")
        }
    }

    /// Has all members read their updates, as long as `body` runs.
    ///
    /// - Parameters:
    ///   - members: the followers.
    ///   - body: gets a function that posts an update a second for each member, and returns once they have received all.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or the reason why a member does not receive an update.
    func follow<Value: Sendable>(
        _ members: [Member],
        _ body: (_ update: (_ seconds: Int) async throws -> Void) async throws -> Value
    ) async throws -> Value {
        self.opened.store(0, ordering: .relaxed)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for member in members { group.addTask { try await self.look(member) } }
            try await self.wait("streams are open") { self.opened.load(ordering: .relaxed) == members.count }
            // The newest earlier updates may arrive at once.
            try await Task.sleep(for: .seconds(1))
            return try await body { seconds in
                let before = self.seen.load(ordering: .relaxed)
                try await self.post(members, seconds: seconds)
                try await self.wait("updates are seen") {
                    self.seen.load(ordering: .relaxed) - before >= members.count * seconds
                }
            }
        }
    }

    private func post(_ members: [Member], seconds: Int) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for second in 0..<seconds {
                for (index, member) in members.enumerated() {
                    let moment = Duration.seconds(second) + .seconds(1) / members.count * index
                    try await Task.sleep(until: start.advanced(by: moment), clock: .continuous)
                    group.addTask { try await self.post(member.update(), to: member.address) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func look(_ member: Member) async throws {
        var request = HTTPClientRequest(url: member.address)
        if let authorization = member.authorization {
            request.headers.add(name: "authorization", value: authorization)
        }
        let response = try await self.http.execute(request, timeout: Self.timeout)
        guard response.status == .ok else { throw RigError(member.address, "answered with \(response.status.code)") }
        var isOpened = false
        for try await buffer in response.body {
            if !isOpened { self.opened.add(1, ordering: .relaxed) }
            isOpened = true
            // An event ends with an empty line, and so does a comment.
            let events = String(buffer: buffer).split(separator: "data: ", omittingEmptySubsequences: false).count - 1
            self.seen.add(events, ordering: .relaxed)
        }
    }

    private func wait(_ what: String, _ isSo: () -> Bool) async throws {
        for _ in 0..<3000 {
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RigError("the audience", "waits without success until its \(what)")
    }
}
