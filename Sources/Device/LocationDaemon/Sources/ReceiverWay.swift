internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import WhereaboutsLocationSources

/// A kind of connection to a receiver, and how to open it.
enum ReceiverWay: Sendable {
    case gpsd(host: String, port: Int)
    /// gpsd, at a socket in the file system.
    case gpsdSocket(path: String)
    case nmea(ReceiverAddress)
    /// A Unix socket at which a program connects and reports positions.
    case program(path: String, isCoarse: Bool = false)

    var language: ReceiverReader.Language {
        switch self {
        case .gpsd, .gpsdSocket: .gpsd
        case .nmea: .nmea
        case .program: .program
        }
    }

    /// The name of the peer, for the report of a lost connection.
    var name: String {
        switch self {
        case .gpsd(let host, let port): "gpsd at \(host):\(port)"
        case .gpsdSocket(let path): "gpsd at \(path)"
        case .program(let path, _): "the program at \(path)"
        case .nmea(.tcp(let host, let port)): "the receiver at \(host):\(port)"
        case .nmea(.standardInput): "the standard input"
        case .nmea(let address): "\(address)"
        }
    }

    /// Whether the peer answers queries, and its longest silence; unlimited for a listener and for a serial line.
    var link: ReceiverLink.Configuration {
        switch self {
        case .gpsd, .gpsdSocket: .init(answers: true, silence: .seconds(10))
        case .nmea(.tcp): .init(answers: false, silence: .seconds(10))
        case .nmea(.listener), .nmea(.udp), .nmea(.device), .nmea(.standardInput), .program:
            .init(answers: false, silence: nil)
        }
    }

    /// Whether the connection counts as open before a peer connects.
    var isListener: Bool {
        switch self {
        case .nmea(.listener), .program: true
        case .gpsd, .gpsdSocket, .nmea: false
        }
    }

    /// Whether the line has a speed that must be detected.
    var hasSpeed: Bool {
        if case .nmea(.device) = self { true } else { false }
    }

    /// Opens the connection.
    ///
    /// - Parameters:
    ///   - loop: the event loop to run on.
    ///   - speed: the speed of a serial line.
    ///   - prepare: adds the handlers to the channel that carries the data.
    /// - Returns: the channel whose close ends the connection.
    func open(
        on loop: any EventLoop,
        speed: Int,
        _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        switch self {
        case .gpsd(let host, let port), .nmea(.tcp(let host, let port)):
            ClientBootstrap(group: loop).connectTimeout(.seconds(5)).channelInitializer(prepare)
                .connect(host: host, port: port)
        case .gpsdSocket(let path):
            ClientBootstrap(group: loop).connectTimeout(.seconds(5)).channelInitializer(prepare)
                .connect(unixDomainSocketPath: path)
        case .nmea(.listener(let host, let port)):
            ServerBootstrap(group: loop).serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer(prepare).bind(host: host, port: port)
        case .program(let path, let isCoarse):
            ServerBootstrap(group: loop).childChannelInitializer(prepare)
                // Mode 0600, because any program that can write to the socket can set the device's position.
                .listen(at: path, mode: 0o600, of: isCoarse ? "--coarse" : "--program", on: loop)
        case .nmea(.udp(let host, let port)):
            DatagramBootstrap(group: loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler())
                }
                .flatMap { prepare(channel) }
            }.bind(host: host, port: port)
        case .nmea(.device(let path)):
            self.open(on: loop, prepare) { () throws(DaemonError) in try SerialLine(path: path, speed: speed).descriptor
            }
        case .nmea(.standardInput):
            self.open(on: loop, prepare) { () throws(DaemonError) in
                try SerialLine.checkCanBeAwaited(STDIN_FILENO, of: self.name)
                let copy = dup(STDIN_FILENO)
                guard copy >= 0 else { throw DaemonError("the standard input is closed; name another --nmea") }
                return copy
            }
        }
    }

    private func open(
        on loop: any EventLoop,
        _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>,
        _ descriptor: () throws(DaemonError) -> CInt
    ) -> EventLoopFuture<any Channel> {
        do {
            let descriptor = try descriptor()
            let future = NIOPipeBootstrap(group: loop).channelInitializer(prepare)
                .takingOwnershipOfDescriptor(input: descriptor)
            // The bootstrap does not close the descriptor if it fails.
            future.whenFailure { _ in close(descriptor) }
            return future
        } catch {
            return loop.makeFailedFuture(error)
        }
    }
}
