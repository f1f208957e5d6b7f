internal import CoreFoundation
internal import Foundation
internal import Glibc
internal import Rig
internal import Synchronization

/// A receiver that sends NMEA 0183 to the first client, over TCP or at a Unix socket, at a fixed rate, and records when it sent each epoch.
final class ReceiverFeed: Sendable {
    private struct State {
        /// When each epoch was sent, in nanoseconds of the monotonic clock, by its milliseconds since midnight.
        var sent: [Int64: Int64] = [:]
        /// The same by latitude, because GeoClue reports only whole seconds.
        var sentAt: [Int64: Int64] = [:]
        var isSouthern = false
        var isOver = false
    }

    let port: UInt16
    private let listener: Int32
    private let interval: Double
    private let state = Mutex(State())

    /// Listens; the feed begins when a client connects.
    ///
    /// - Parameters:
    ///   - rate: epochs a second, 1…1000.
    ///   - path: the Unix socket; nil: a port of the loopback interface.
    /// - Throws: ``RigError`` when it cannot listen.
    init(rate: Double, path: String? = nil) throws {
        self.interval = 1 / rate
        self.listener = socket(
            path == nil ? AF_INET : AF_UNIX,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
            0
        )
        self.port = path == nil ? try Loopback.freePort() : 0
        let listener = self.listener
        func listens<Address>(_ address: Address) -> Bool {
            unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    unsafe bind(listener, generic, socklen_t(MemoryLayout<Address>.size)) == 0
                }
            } && listen(listener, 1) == 0
        }
        let isOpen: Bool
        if let path {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            unsafe unlink(path)
            isOpen = listens(address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = self.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            isOpen = listens(address)
        }
        guard isOpen else { throw RigError("the receiver", "cannot listen") }
        Thread.detachNewThread { self.run() }
    }

    /// From now on the device is in the southern hemisphere, which tells readers to end.
    func moveSouth() { self.state.withLock { $0.isSouthern = true } }

    func end() {
        self.state.withLock { $0.isOver = true }
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    /// When an epoch was sent; nil: it was not sent.
    func sent(_ milliseconds: Int64) -> Int64? { self.state.withLock { $0.sent[milliseconds] } }

    /// When an epoch was sent, by its latitude in 1e-7 degree.
    func sent(latitude: Int64) -> Int64? { self.state.withLock { $0.sentAt[latitude] } }

    private func run() {
        let peer = accept(self.listener, nil, nil)
        guard peer >= 0 else { return }
        defer { close(peer) }
        var one: Int32 = 1
        unsafe setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let format = DateFormatter()
        format.dateFormat = "HHmmss.SSS|ddMMyy"
        format.timeZone = TimeZone(identifier: "UTC")
        format.locale = Locale(identifier: "en_US_POSIX")
        var next = Self.monotonic()
        var number = 0
        while true {
            let (isSouthern, isOver) = self.state.withLock { ($0.isSouthern, $0.isOver) }
            if isOver { return }
            let wait = next - Self.monotonic()
            if wait > 0 { usleep(UInt32(wait / 1000)) }
            next += Int64(self.interval * 1e9)
            let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let parts = format.string(from: date).split(separator: "|").map(String.init)
            let minutes = 30.0 + Double(number % 1000) * 0.0001
            let latitude = String(format: "42%07.4f", minutes)
            let side = isSouthern ? "S" : "N"
            let sentences =
                Self.sentence("GPRMC,\(parts[0]),A,\(latitude),\(side),00124.0000,E,0.5,10.0,\(parts[1]),,,A")
                + Self.sentence("GPGGA,\(parts[0]),\(latitude),\(side),00124.0000,E,1,09,0.9,60.0,M,40.0,M,,")
            self.state.withLock {
                $0.sent[milliseconds % 86_400_000] = Self.monotonic()
                $0.sentAt[Int64(((42 + minutes / 60) * 1e7).rounded())] = Self.monotonic()
            }
            let bytes = Array(sentences.utf8)
            // No SIGPIPE when the reader has closed the connection.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count != bytes.count { return }
            number += 1
        }
    }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(0) { $0 ^ $1 }
        return "$\(body)*\(String(format: "%02X", sum))\r\n"
    }

    static func monotonic() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
