internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Serves a console on loopback: HTTP/1.1 without TLS, since nothing leaves the machine.
package final class ConsoleServer: Sendable {
    /// The maximum number of connections at a time; further ones are closed at once.
    ///
    /// Source: our choice; a browser opens six connections to a host.
    package static let connectionsMax = 64
    /// The maximum number of pages that receive events at a time.
    package static let streamsMax = 8
    /// The longest order, in bytes.
    package static let bodyBytesMax = 65_536
    /// The longest silence of a connection in both directions.
    ///
    /// A stream writes more often.
    package static let silenceMax = Duration.seconds(30)

    private struct State {
        var gate: ConsoleGate
        var connections = 0
        var streams = 0
    }

    let site: any ConsoleSite
    private let state: Mutex<State>
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Creates a server for a site.
    package init(_ site: any ConsoleSite) {
        self.site = site
        self.state = Mutex(State(gate: ConsoleGate(actions: site.actions)))
    }

    /// Serves until the process ends.
    ///
    /// The method blocks its thread.
    ///
    /// - Parameters:
    ///   - port: the port; 0 lets the system choose.
    ///   - listening: receives the address that opens the page once.
    /// - Throws: an error if the server cannot listen on the port.
    package func run(port: Int, listening: (String) -> Void) throws {
        let channel = try self.bind(port)
        let chosen = channel.localAddress?.port ?? port
        let address = self.state.withLock { state in
            state.gate.port = chosen
            return state.gate.address
        }
        listening(address)
        try channel.closeFuture.wait()
    }

    private func bind(_ port: Int) throws -> any Channel {
        try ServerBootstrap(group: self.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard self.enter(\.connections, most: Self.connectionsMax) else {
                        return channel.close(promise: nil)
                    }
                    channel.closeFuture.whenComplete { _ in self.leave(\.connections) }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: TimeAmount(Self.silenceMax)))
                    // `ConsoleHandler` answers one request on a connection, so there is no pipelining to assist.
                    try pipeline.configureHTTPServerPipeline(
                        withPipeliningAssistance: false,
                        withErrorHandling: false
                    )
                    try pipeline.addHandler(ConsoleHandler(self))
                }
            }
            .bind(host: "127.0.0.1", port: port).wait()
    }

    func decide(_ head: HTTPRequestHead) -> ConsoleGate.Decision {
        let request = ConsoleGate.Request(
            method: head.method.rawValue,
            target: head.uri,
            hosts: head.headers["host"],
            origins: head.headers["origin"],
            cookies: head.headers["cookie"],
            contentType: head.headers.first(name: "content-type") ?? ""
        )
        return self.state.withLock { $0.gate.decide(request) }
    }

    func streamBegins() -> Bool { self.enter(\.streams, most: Self.streamsMax) }

    func streamEnded() { self.leave(\.streams) }

    private func enter(_ count: any WritableKeyPath<State, Int> & Sendable, most: Int) -> Bool {
        self.state.withLock { state in
            guard state[keyPath: count] < most else { return false }
            state[keyPath: count] += 1
            return true
        }
    }

    private func leave(_ count: any WritableKeyPath<State, Int> & Sendable) {
        self.state.withLock { $0[keyPath: count] -= 1 }
    }
}
