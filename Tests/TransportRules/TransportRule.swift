package import WhereaboutsSharing

/// The rules of a `ServerTransport`, each tested with a ``RuleServer``.
package enum TransportRule: String, CaseIterable, Sendable {
    /// Status, date, database and body of a reply arrive; so do the body and the authorization of a request.
    case exchangesWholeReplies
    /// If the server closes a connection that it has served before, the next exchange still succeeds.
    case survivesAClosedConnection
    /// A redirect is returned like any other reply.
    case followsNoRedirection
    /// An exchange with a silent server fails when its time is over.
    case givesUpInTime
    /// A body of the maximum length is read.
    case readsTheLongestBody
    /// A longer body is refused, whether it was announced or not.
    case refusesLongerBodies
    /// A reply that ends early is an error.
    case refusesHalfReplies
    /// The bytes of a stream are delivered when they arrive, not when it ends.
    case handsBytesOnAtOnce
    /// A stream with another status delivers its status and no bytes.
    case tellsTheStatusOfAStream
    /// An error of the reader ends a stream.
    case endsWithItsReader
    /// A cancelled task does not wait for the server.
    case isCancelled
    /// A server that speaks at most TLS 1.1 is refused.
    case refusesOldTLS
    /// A server with another host's certificate is refused.
    case refusesAnotherName

    /// The rules that `FoundationNetworking` keeps.
    ///
    /// It cannot send a body again: if the server closed the connection meanwhile, the exchange waits for its timeout.
    package static let ofFoundationNetworking = Self.allCases.filter { $0 != .survivesAClosedConnection }

    /// A rule that a transport breaks.
    package struct Broken: Error, CustomStringConvertible {
        /// The actual result.
        package let description: String
    }

    private struct Enough: Error {}

    /// Checks the rule.
    ///
    /// - Parameters:
    ///   - transport: the transport.
    ///   - server: the addresses of a running ``RuleServer``.
    /// - Throws: ``Broken``, or what the transport throws and should not.
    package func check(_ transport: any ServerTransport, at server: RuleServer.Addresses) async throws {
        switch self {
        case .exchangesWholeReplies:
            let body: [UInt8] = [0, 1, 2, 255]
            let request = ServerRequest(url: server.url("/echo"), body: body, authorization: "Whereabouts abc")
            let reply = try await transport.exchange(request, within: Self.patience)
            let expected = Array("POST application/octet-stream Whereabouts abc ".utf8) + body
            try Self.expect(reply.status == 200 && reply.body == expected, "the reply is \(reply)")
            try Self.expect(reply.date == RuleServer.date, "the date is \(reply.date ?? "missing")")
            try Self.expect(reply.database == RuleServer.database, "the database is \(reply.database ?? "missing")")
            let fetched = try await transport.exchange(ServerRequest(url: server.url("/echo")), within: Self.patience)
            try Self.expect(fetched.body == Array("GET - - ".utf8), "the reply is \(fetched)")
        case .survivesAClosedConnection:
            for body in [nil, [1, 2, 3], [4]] as [[UInt8]?] {
                let request = ServerRequest(url: server.url("/once"), body: body)
                let reply = try await transport.exchange(request, within: Self.patience)
                try Self.expect(reply.status == 200, "the status is \(reply.status)")
            }
        case .followsNoRedirection:
            for body in [nil, [1, 2, 3]] as [[UInt8]?] {
                let request = ServerRequest(url: server.url("/redirection"), body: body)
                let reply = try await transport.exchange(request, within: Self.patience)
                try Self.expect(reply.status == 307, "the status is \(reply.status)")
            }
            let count = try await transport.exchange(ServerRequest(url: server.url("/count")), within: Self.patience)
            try Self.expect(count.body == Array("0".utf8), "the redirection was followed")
        case .givesUpInTime:
            try await self.fails {
                _ = try await transport.exchange(ServerRequest(url: server.url("/silence")), within: .seconds(1))
            }
        case .readsTheLongestBody:
            for path in ["/announced", "/chunked"] {
                let request = ServerRequest(url: server.url("\(path)?\(ServerReply.byteCountMax)"))
                let reply = try await transport.exchange(request, within: Self.patience)
                try Self.expect(reply.body.count == ServerReply.byteCountMax, "\(reply.body.count) bytes came")
            }
        case .refusesLongerBodies:
            for path in ["/announced", "/chunked"] {
                try await self.fails {
                    let request = ServerRequest(url: server.url("\(path)?\(ServerReply.byteCountMax + 1)"))
                    _ = try await transport.exchange(request, within: Self.patience)
                }
            }
        case .refusesHalfReplies:
            for path in ["/half", "/none"] {
                try await self.fails {
                    _ = try await transport.exchange(ServerRequest(url: server.url(path)), within: Self.patience)
                }
            }
        case .handsBytesOnAtOnce: try await self.checkStream(transport, server)
        case .tellsTheStatusOfAStream:
            let status = try await transport.stream(ServerRequest(url: server.url("/missing"))) { bytes in
                throw Broken(description: "\(bytes.count) bytes came")
            }
            try Self.expect(status == 404, "the status is \(status)")
        case .endsWithItsReader:
            do {
                _ = try await transport.stream(ServerRequest(url: server.url("/pieces"))) { _ in throw Enough() }
                throw Broken(description: "the reader's error was lost")
            } catch is Enough {}
        case .isCancelled:
            let asking = Task {
                try await transport.exchange(ServerRequest(url: server.url("/silence")), within: Self.patience)
            }
            asking.cancel()
            try await self.fails { _ = try await asking.value }
        case .refusesOldTLS: try await self.refuses(transport, server.oldTLS)
        case .refusesAnotherName: try await self.refuses(transport, server.anotherName)
        }
    }

    private func refuses(_ transport: any ServerTransport, _ server: String) async throws {
        try await self.fails {
            _ = try await transport.exchange(ServerRequest(url: server + "/echo"), within: Self.patience)
        }
    }

    /// The second part is sent only after the reader has requested more than the first one.
    private func checkStream(_ transport: any ServerTransport, _ server: RuleServer.Addresses) async throws {
        var came: [UInt8] = []
        let status = try await transport.stream(ServerRequest(url: server.url("/pieces"))) { bytes in
            came += bytes
            if came == Array("one".utf8) {
                _ = try await transport.exchange(
                    ServerRequest(url: server.url("/next"), body: []),
                    within: .seconds(10)
                )
            }
        }
        try Self.expect(status == 200 && came == Array("onetwo".utf8), "\(came.count) bytes came")
    }

    /// The timeout of an exchange that must end by itself; a busy machine takes seconds for each.
    private static let patience = Duration.seconds(240)
    /// The time within which an exchange must fail for the reason of the rule, and not because of a timeout.
    private static let limit = Duration.seconds(120)

    private func fails(_ body: () async throws -> Void) async throws {
        let begun = ContinuousClock.now
        do {
            try await body()
        } catch {
            return try Self.expect(begun.duration(to: .now) < Self.limit, "it failed after more than \(Self.limit)")
        }
        throw Broken(description: "it went through")
    }

    private static func expect(_ isSo: Bool, _ otherwise: String) throws {
        guard isSo else { throw Broken(description: otherwise) }
    }
}
