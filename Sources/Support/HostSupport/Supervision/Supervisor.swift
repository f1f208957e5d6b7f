internal import Glibc

/// The supervisor that started this process and expects notifications from it, as systemd does: sd_notify(3),
/// `Type=notify` and `WatchdogSec=`.
///
/// A notification is a datagram of `NAME=value` lines to the socket that the environment names. The manual page
/// promises that this protocol is stable and can be used without the library. Without the variable, nothing is sent.
package struct Supervisor: Sendable {
    /// The maximum number of bytes of a socket's name: Linux's `sun_path` without the terminating zero.
    static let addressBytesMax = 107

    private let address: String?
    /// The time between two keepalives; nil: no watchdog.
    ///
    /// It is half of the supervisor's limit, as sd_watchdog_enabled(3) recommends.
    package let pulse: Duration?

    /// Reads the supervisor's socket and the watchdog's limit from the environment.
    ///
    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, and for the watchdog `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - process: the number of this process; the watchdog of another process is ignored.
    package init(environment: [String: String], process: Int32) {
        self.address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isWatched = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let allowed = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
        if self.address != nil, isWatched, let allowed, allowed > 1 {
            self.pulse = .microseconds(allowed / 2)
        } else {
            self.pulse = nil
        }
    }

    /// Reports that the process is ready, so that dependent units may start.
    package func serves() throws(SupervisionFailure) { try self.tell("READY=1") }

    /// Reports that the process is stopping.
    package func ends() throws(SupervisionFailure) { try self.tell("STOPPING=1") }

    /// Sends keepalives until the task is cancelled, each after `isAlive` has returned: a hung process sends none, so
    /// that the supervisor restarts it.
    package func watch(_ isAlive: @Sendable () async throws -> Void) async throws {
        guard let pulse else { return }
        while !Task.isCancelled {
            try await isAlive()
            try self.tell("WATCHDOG=1")
            do { try await Task.sleep(for: pulse) } catch is CancellationError { return }
        }
    }

    private func tell(_ words: String) throws(SupervisionFailure) {
        guard let address else { return }
        let name = Array(address.utf8)
        guard let first = name.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            name.count <= Self.addressBytesMax
        else { throw SupervisionFailure(address, "it is neither an absolute path nor begins with @, or is too long") }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SupervisionFailure(address, code: errno) }
        defer { close(descriptor) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { bytes in
            unsafe bytes.copyBytes(from: name)
            // An abstract socket name begins with a zero byte.
            if first == UInt8(ascii: "@") { unsafe bytes[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let message = Array(words.utf8)
        let sent = unsafe withUnsafeBytes(of: &place) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { target in
                unsafe sendto(descriptor, message, message.count, 0, target.baseAddress, length)
            }
        }
        guard sent == message.count else { throw SupervisionFailure(address, code: errno) }
    }
}

/// The error when the supervisor's socket cannot be written.
package struct SupervisionFailure: Error, Sendable, CustomStringConvertible {
    /// The socket, the reason, and the remedy.
    package let description: String

    init(_ address: String, _ reason: String) {
        self.description = "NOTIFY_SOCKET is '\(address)': \(reason); unset it if systemd did not start this program"
    }

    init(_ address: String, code: Int32) {
        self.init(address, unsafe String(cString: strerror(code)))
    }
}
