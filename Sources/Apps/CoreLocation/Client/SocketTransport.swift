internal import Foundation
internal import Synchronization
internal import WhereaboutsLocationWire
package import WhereaboutsLocationWireMessages

/// A connection to locationd, read by its own thread, because a task might not run while a synchronous member waits.
///
/// A process that locationd launched uses the connection that it inherited first. All other connections are made to locationd's socket,
/// where the kernel identifies the caller.
package final class SocketTransport: Transport {
    private let socket = Mutex<PacketSocket?>(nil)
    private let path: String
    private let inherited: Int32?

    /// Creates a transport, which connects when ``start(_:)`` is called.
    package init(path: String, inherited: Int32?) {
        self.path = path
        self.inherited = inherited
    }

    /// Creates the transport of this process from its environment.
    package static func ofThisProcess() -> SocketTransport {
        let environment = ProcessInfo.processInfo.environment
        let inherited = environment[SocketPaths.descriptorVariable].flatMap { Int32($0) }
        return SocketTransport(path: SocketPaths.apps(in: SocketPaths.directory), inherited: inherited)
    }

    package func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        let first = self.inherited.map { PacketSocket(owning: $0) } ?? self.connect(receive)
        if let first {
            self.socket.withLock { $0 = first }
            receive(.connected)
        } else {
            receive(.disconnected)
        }
        let thread = Thread { [self] in self.read(from: first, receive) }
        thread.name = "CoreLocation"
        thread.start()
    }

    package func send(_ message: WireClientMessage) {
        guard let socket = self.socket.withLock({ $0 }), let packet = try? WireMessage.encode(message) else { return }
        guard packet.count <= PacketSocket.packetBytesMax else {
            return LocationClient.complain(
                """
                the list of this process's sessions and streams has \(packet.count) bytes, and locationd accepts \
                \(PacketSocket.packetBytesMax); create fewer sessions, with shorter purpose keys
                """
            )
        }
        // Ignore errors: the reading thread detects and reports a broken connection.
        _ = try? socket.send(packet)
    }

    /// Connects to locationd's socket; nil when locationd does not answer, or refuses this process.
    private func connect(_ receive: @Sendable (TransportEvent) -> Void) -> PacketSocket? {
        guard let (socket, greeting) = try? PacketSocket.connectAsApp(to: self.path),
            let message = try? WireMessage.decode(WireDaemonMessage.self, from: greeting)
        else { return nil }
        if case .ready = message.body { return socket }
        receive(.message(message))
        return nil
    }

    private func read(from first: PacketSocket?, _ receive: @Sendable (TransportEvent) -> Void) {
        var socket = first
        var pause = ReconnectPause()
        while true {
            if let connected = socket {
                let began = ContinuousClock.now
                self.deliver(from: connected, receive)
                self.socket.withLock { $0 = nil }
                receive(.disconnected)
                pause.connectionEnded(after: ContinuousClock.now - began)
            }
            Thread.sleep(forTimeInterval: pause.take() / .seconds(1))
            socket = self.connect(receive)
            if let socket {
                self.socket.withLock { $0 = socket }
                receive(.connected)
            }
        }
    }

    private func deliver(from socket: PacketSocket, _ receive: @Sendable (TransportEvent) -> Void) {
        while let received = try? socket.waitForPacket() {
            switch received {
            case .packet(let packet, _):
                guard
                    let message = try? WireMessage.decode(
                        WireDaemonMessage.self,
                        from: packet
                    )
                else { return }
                receive(.message(message))
            case .empty: continue
            case .closed: return
            }
        }
    }
}
