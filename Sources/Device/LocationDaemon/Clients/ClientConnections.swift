internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The connections of apps and extensions: the messages in both directions, and the identity of each sender.
///
/// Used only on the daemon's queue.
final class ClientConnections {
    /// A connected process: its identity, and its connection.
    private struct Peer {
        let principal: Principal
        let connection: PacketConnection
        /// The only process whose packets are accepted; nil: the process inherited the connection, and needs no check.
        let process: PeerProcess?
    }

    private let bounds: BoundLog
    private let reach: Reach<ClientConnections>
    private var peers: [ClientID: Peer] = [:]
    private var next: UInt64 = 1

    init(bounds: BoundLog, reach: Reach<ClientConnections>) {
        self.bounds = bounds
        self.reach = reach
    }

    /// Returns the number of a new connection.
    func takeID() -> ClientID {
        defer { self.next += 1 }
        return ClientID(self.next)
    }

    func connect(_ socket: PacketSocket, _ principal: Principal, _ caller: Caller, process: PeerProcess?) {
        let client = self.takeID()
        // This buffer holds about forty fixes or one push. Packets for a peer that does not read become stale in the
        // kernel.
        socket.setSendBuffer(bytes: 16 * 1024)
        let connection = PacketConnection(
            socket,
            queue: self.reach.daemon.queue,
            writable: { [reach] in reach { $0.peers[client]?.connection.flush() } },
            event: { [reach] event in reach { $0.received(event, from: client) } }
        )
        self.peers[client] = Peer(principal: principal, connection: connection, process: process)
        self.reach.daemon.feed(.connectionOpened(client, principal, caller))
    }

    private func disconnect(_ client: ClientID) {
        guard let peer = self.peers.removeValue(forKey: client) else { return }
        peer.connection.close()
        self.reach.daemon.feed(.connectionClosed(client))
    }

    private func received(_ event: PacketConnection.Event, from client: ClientID) {
        guard let peer = self.peers[client] else { return }
        switch event {
        case .closed: self.disconnect(client)
        case .packet(let packet, let sender):
            if let process = peer.process, sender != process.identity.pid || !process.isUnchanged {
                self.bounds.warn(.impostorsCutOff, "another process used an app's connection", ["pid": "\(sender)"])
                return self.disconnect(client)
            }
            guard
                let message = try? WireMessage.decode(WireClientMessage.self, from: packet)
            else {
                self.bounds.warn(.garbageCutOff, "an invalid packet", ["app": "\(peer.principal.bundle)"])
                return self.disconnect(client)
            }
            // Ignore a message that only a later version of the protocol has.
            if let message = ClientMessage(message) { self.reach.daemon.feed(.messageReceived(message, from: client)) }
        }
    }

    /// Closes a connection without telling the core.
    func close(_ client: ClientID) { self.peers.removeValue(forKey: client)?.connection.close() }

    func closeAll() { for peer in self.peers.values { peer.connection.close() } }

    /// Makes packets to an app wait while it is frozen.
    func hold(_ bundle: BundleID) { for connection in self.connections(of: bundle) { connection.hold() } }

    func release(_ bundle: BundleID) { for connection in self.connections(of: bundle) { connection.release() } }

    private func connections(of bundle: BundleID) -> [PacketConnection] {
        let principal = Principal(bundle: bundle, role: .app)
        return self.peers.values.filter { $0.principal == principal }.map(\.connection)
    }

    func send(_ message: WireDaemonMessage, to client: ClientID) {
        guard let peer = self.peers[client], let packet = self.bounds.packet(message) else { return }
        if !peer.connection.send(packet) {
            self.bounds.warn(
                .readersCutOff,
                "an app does not read and was disconnected",
                ["app": "\(peer.principal.bundle)"]
            )
            self.disconnect(client)
        }
    }

    /// Sends a client a message of the engine; a newer plain position replaces an unread one.
    func tell(_ client: ClientID, _ message: Engine.Message) {
        guard let stream = message.replacedStream else { return self.send(message.wire, to: client) }
        guard let packet = self.bounds.packet(message.wire) else { return }
        self.peers[client]?.connection.send(newest: packet, of: stream)
    }
}
