internal import NIOPosix

/// The attackers' side of the machine.
enum Strangers {
    /// Their event loops: on the honest party's, its own waiting would be taken for the target's.
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}
