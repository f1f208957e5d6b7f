internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import Testing
internal import WhereaboutsCLinux

/// Fake receivers on other transports than a server: a serial line, datagrams, and a connection to the device.
///
/// Each sends a position twenty times a second from its creation on.
final class FakeLine: Sendable {
    enum Kind {
        case serial, udp, listener
    }

    /// A pseudo terminal, of which the device opens the other end.
    final class Terminal: Sendable {
        private let descriptor: CInt
        private let isPluggedIn = Atomic(true)
        let path: String

        init() throws {
            var name = [CChar](repeating: 0, count: 64)
            self.descriptor = unsafe clinux_pseudo_terminal(&name, name.count)
            try #require(self.descriptor >= 0)
            self.path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit { self.unplug() }

        /// Closes the line, like a receiver that is unplugged.
        func unplug() {
            if self.isPluggedIn.exchange(false, ordering: .relaxed) { close(self.descriptor) }
        }

        /// The speed of the line, as set by the other end.
        var speed: speed_t {
            var settings = termios()
            return unsafe tcgetattr(self.descriptor, &settings) == 0 ? cfgetospeed(&settings) : 0
        }

        func write(_ text: String) {
            let bytes = Array(text.utf8)
            // Unread bytes are lost, as on a serial line.
            _ = unsafe Glibc.write(self.descriptor, bytes, bytes.count)
        }
    }

    /// The sentences of a receiver, one an epoch.
    final class Epochs: Sendable {
        private let number = Atomic(0)

        func next() -> String { FakeLine.sentence(self.number.add(1, ordering: .relaxed).newValue) }
    }

    /// The sentence of an epoch, a twentieth of a second after the previous one.
    private static func sentence(_ epoch: Int) -> String {
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let time = "09\(digits(epoch / 1200))\(digits(epoch / 20 % 60)).\(digits(epoch % 20 * 5))"
        let body = "GPRMC,\(time),A,5332.75150,N,00957.98000,E,2.70,95.97,170526,,,A"
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }

    /// The `--nmea` option for the device.
    let address: String
    private let telling: RepeatedTask
    private let terminal: Terminal?

    init(_ kind: Kind, on loop: any EventLoop) async throws {
        switch kind {
        case .serial:
            let terminal = try Terminal()
            self.terminal = terminal
            self.address = terminal.path
            self.telling = Self.repeated(on: loop) { terminal.write($0) }
        case .udp:
            let port = try await Self.freePort(on: loop)
            self.terminal = nil
            self.address = "udp://127.0.0.1:\(port)"
            let channel = try await DatagramBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
            let device = try SocketAddress(ipAddress: "127.0.0.1", port: port)
            self.telling = Self.repeated(on: loop) { text in
                let envelope = AddressedEnvelope(remoteAddress: device, data: ByteBuffer(string: text))
                channel.writeAndFlush(envelope, promise: nil)
            }
        case .listener:
            let port = try await Self.freePort(on: loop)
            self.terminal = nil
            self.address = "listen://127.0.0.1:\(port)"
            let connection = NIOLoopBoundBox<(any Channel)?>.makeEmptyBox(
                valueType: (any Channel).self,
                eventLoop: loop
            )
            self.telling = Self.repeated(on: loop) { text in
                if let channel = connection.value, channel.isActive {
                    return channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
                }
                ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: port).assumeIsolated().whenSuccess {
                    connection.value.map { $0.close(promise: nil) }
                    connection.value = $0
                }
            }
        }
    }

    func stop() {
        self.telling.cancel()
        self.terminal?.unplug()
    }

    private static func repeated(on loop: any EventLoop, _ tell: @escaping @Sendable (String) -> Void) -> RepeatedTask {
        let epochs = Epochs()
        return loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(50)) { _ in tell(epochs.next()) }
    }

    /// A port without a listener, for datagrams and connections.
    private static func freePort(on loop: any EventLoop) async throws -> Int {
        let channel = try await ServerBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        try await channel.close()
        return port
    }
}
