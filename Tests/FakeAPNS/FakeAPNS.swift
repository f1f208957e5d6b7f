internal import Foundation
internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import WhereaboutsCertificates

/// An HTTP/2 server on the loopback interface that treats each request as the test says.
///
/// Requests are counted over all connections.
package final class FakeAPNS: Sendable {
    /// The treatment of a request.
    package enum Action: Sendable {
        /// Status 200, with these additional headers.
        case accept([String: String] = [:])
        /// An error status, with this body and these additional headers.
        case reject(status: Int, body: String, headers: [String: String] = [:])
        case refuse
        /// RST_STREAM, as for an internal error of the server.
        case breakStream
        /// GOAWAY: neither this request nor a later one was processed.
        case goAway
        /// GOAWAY with a reason, after this request was accepted.
        case acceptAndGoAway(reason: String)
        case hangUp
        /// No answer to the request; pings are answered.
        case silence
        /// No answer to anything.
        case deafness
        /// Status 200, after a change of the stream limit.
        case acceptWithStreams(Int)
    }

    /// A received request.
    package struct Request: Sendable {
        /// The headers; the values of a repeated name are separated by a comma.
        package let headers: [String: String]
        package let body: String
        /// The number of its connection, from 1.
        package let connection: Int
    }

    private struct State {
        var actions: [Action]
        var requests: [Request] = []
        var connections = 0
        var open: [ObjectIdentifier: any Channel] = [:]
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state: Mutex<State>
    private let streamsMax: Int?
    private let tls: NIOSSLContext
    /// The only client certificate (DER) that the server accepts; nil: it requests none.
    private let clientCertificate: [UInt8]?
    private let directory: URL
    private let listener = Mutex<(any Channel)?>(nil)

    /// Listens; performs the actions in turn, and accepts every request after them.
    ///
    /// With a client certificate (PEM), the server accepts only connections that present this one.
    package static func start(
        _ actions: [Action] = [],
        streamsMax: Int? = 100,
        clientCertificate: String? = nil
    ) async throws -> FakeAPNS {
        let server = try FakeAPNS(actions, streamsMax: streamsMax, clientCertificate: clientCertificate)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.accept(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listener.withLock { $0 = channel }
        return server
    }

    private init(_ actions: [Action], streamsMax: Int?, clientCertificate: String?) throws {
        self.clientCertificate = try clientCertificate.map {
            try NIOSSLCertificate(bytes: Array($0.utf8), format: .pem).toDERBytes()
        }
        self.state = Mutex(State(actions: actions))
        self.streamsMax = streamsMax
        self.directory = FileManager.default.temporaryDirectory.appending(path: "fake-apns-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        let certificate = try LoopbackCertificate()
        let authority = self.directory.appending(path: "ca.pem")
        try certificate.authorityPEM.write(to: authority, atomically: true, encoding: .utf8)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem))
        )
        tls.applicationProtocols = ["h2"]
        if clientCertificate != nil { tls.certificateVerification = .noHostnameVerification }
        self.tls = try NIOSSLContext(configuration: tls)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.directory)
    }

    package var port: Int { self.listener.withLock { $0?.localAddress?.port } ?? 0 }
    /// The file with the certificate of its authority.
    package var authorityPath: String { self.directory.appending(path: "ca.pem").path(percentEncoded: false) }
    /// The received requests of all connections, in their order.
    package var requests: [Request] { self.state.withLock { $0.requests } }
    /// The number of connections that were opened.
    package var connections: Int { self.state.withLock { $0.connections } }
    /// The number of open connections.
    package var connectionsOpen: Int { self.state.withLock { $0.open.count } }

    /// Returns when that many requests have arrived; only one test may wait at a time.
    package func came(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = self.state.withLock { state in
                if state.requests.count < count { state.waiting = (count, continuation) }
                return state.requests.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Sets the action for the next request.
    package func doNext(_ action: Action) {
        self.state.withLock { $0.actions.insert(action, at: 0) }
    }

    /// Closes all connections, as a restart would, and continues to listen.
    package func hangUp() {
        for channel in self.state.withLock({ $0.open.values.map(\.self) }) { channel.close(promise: nil) }
    }

    package func stop() async throws {
        try await self.listener.withLock { $0 }?.close()
        self.hangUp()
    }

    private func accept(_ channel: any Channel) throws {
        let number = self.state.withLock { state in
            state.connections += 1
            state.open[ObjectIdentifier(channel)] = channel
            return state.connections
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
        }
        var http2 = NIOHTTP2Handler.ConnectionConfiguration()
        http2.initialSettings = []
        if let streamsMax {
            http2.initialSettings.append(HTTP2Setting(parameter: .maxConcurrentStreams, value: streamsMax))
        }
        let pipeline = channel.pipeline.syncOperations
        let ears = Ears()
        try pipeline.addHandler(ears)
        if let clientCertificate = self.clientCertificate {
            let handler = NIOSSLServerHandler(
                context: self.tls,
                customVerificationCallback: { chain, promise in
                    let isKnown = (try? chain.first?.toDERBytes()) == clientCertificate
                    promise.succeed(isKnown ? .certificateVerified : .failed)
                }
            )
            try pipeline.addHandler(handler)
        } else {
            try pipeline.addHandler(NIOSSLServerHandler(context: self.tls))
        }
        try pipeline.addHandler(NIOHTTP2Handler(mode: .server, connectionConfiguration: http2))
        try pipeline.addHandler(FakeConnection(number: number, server: self, ears: ears))
    }

    func nextAction(for request: Request) -> Action {
        let (action, waiting) = self.state.withLock { state in
            state.requests.append(request)
            let action = state.actions.isEmpty ? .accept() : state.actions.removeFirst()
            guard let waiting = state.waiting, waiting.count <= state.requests.count else {
                return (action, nil as CheckedContinuation<Void, Never>?)
            }
            state.waiting = nil
            return (action, waiting.continuation)
        }
        waiting?.resume()
        return action
    }
}
