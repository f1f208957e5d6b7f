/// Objects when a client that holds many streams or connections takes those of an honest client.
///
/// An honest requester may have as many streams as each address gets when streams are scarce. The sharing server has one
/// connection with the gateway.
final class HoardAuditor {
    /// The streams of an address that are never refused.
    private static let streamsMin = 16

    private unowned let world: Simulation
    /// The open streams of honest requesters.
    private var readers: [UInt64: NodeID] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// A requester reads the states of a request.
    func admitted(_ stream: UInt64, _ reader: NodeID) { self.readers[stream] = reader }

    /// A requester no longer reads a stream.
    func left(_ stream: UInt64) { self.readers[stream] = nil }

    /// A requester's stream was refused because too many are open.
    func refused(_ reader: NodeID) {
        self.world.census.add("a requester's stream is turned away")
        guard self.readers.values.count(where: { $0 == reader }) < Self.streamsMin else { return }
        self.world.fail("\(reader) was refused a stream of its request's states, but has fewer than \(Self.streamsMin)")
    }

    /// A stream was closed to make room for another one.
    func displaced(_ stream: UInt64) {
        guard let reader = self.readers[stream] else { return }
        self.world.fail("\(reader) lost its stream; expected the loser to be a requester with many streams")
    }

    /// The sharing server has no connection with the gateway, or lost it to another provider.
    func refusedServer() {
        self.world.fail("the gateway refused the sharing server's connection, because another provider has too many")
    }
}
