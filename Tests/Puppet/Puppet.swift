import Foundation
import Glibc
import Synchronization
import WhereaboutsLocationWire

/// An app, or an extension, that a test controls.
///
/// It forwards packets from locationd to the test, and the test's packets to locationd. A packet for the test begins
/// with a letter that says what it contains.
@main final class Puppet: Sendable {
    private let test: PacketSocket
    private let daemon: Mutex<PacketSocket?>

    private init(test: PacketSocket, daemon: PacketSocket?) {
        self.test = test
        self.daemon = Mutex(daemon)
    }

    static func main() {
        // In the process's directory, because the path of a socket must be short.
        guard let test = try? PacketSocket.connect(to: "puppet.socket") else { exit(70) }
        let inherited = ProcessInfo.processInfo.environment[SocketPaths.descriptorVariable].flatMap { Int32($0) }
        let puppet = Puppet(test: test, daemon: inherited.map { PacketSocket(owning: $0) })
        let isExtension = CommandLine.arguments[0].contains(".appex/")
        puppet.tell(isExtension ? "E" : "A", Array("\(getpid())".utf8))
        Thread { puppet.passOn() }.start()
        puppet.read()
    }

    private func tell(_ kind: Unicode.Scalar, _ packet: [UInt8] = []) {
        // The puppet ends if the test has ended.
        guard let sent = try? self.test.send([UInt8(ascii: kind)] + packet), sent != .closed else { exit(0) }
    }

    private func passOn() {
        while case .packet(let packet, _)? = try? self.test.waitForPacket() {
            _ = try? self.daemon.withLock { $0 }?.send(packet)
        }
        exit(0)
    }

    private func read() -> Never {
        while true {
            if let socket = self.daemon.withLock({ $0 }) {
                self.tell("C")
                while case .packet(let packet, _)? = try? socket.waitForPacket() { self.tell("P", packet) }
                self.tell("X")
            }
            // Retries after a while, like the client library; the wait ends if the test has ended.
            var end = pollfd(fd: self.test.descriptor, events: Int16(POLLHUP), revents: 0)
            _ = unsafe poll(&end, 1, 200)
            let next = try? PacketSocket.connectAsApp(to: SocketPaths.apps(in: SocketPaths.directory))
            self.daemon.withLock { $0 = next?.0 }
        }
    }
}
