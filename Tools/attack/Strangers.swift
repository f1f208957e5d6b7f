internal import NIOPosix

/// The attackers' side of the machine.
enum Strangers {
    /// Separate event loops: on the honest party's loops, the attacker's work would delay the measured actions.
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}
