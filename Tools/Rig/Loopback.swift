internal import Glibc
internal import WhereaboutsCLinux

/// TCP ports of this machine.
public enum Loopback {
    /// A port that is free now, because gpsd cannot use port 0.
    ///
    /// - Throws: ``RigError``.
    public static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else { throw RigError("a port", "no port is free: \(unsafe String(cString: strerror(errno)))") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits until a program listens on a port, by trying to connect again and again.
    ///
    /// - Throws: ``RigError`` if no program listens in time.
    public static func waitForListener(on port: UInt16, within seconds: Int64) throws {
        let end = clinux_boottime() + seconds * 1_000_000_000
        while !self.isListening(port) {
            guard clinux_boottime() < end else { throw RigError("port \(port)", "no listener within \(seconds) s") }
            _ = poll(nil, 0, 20)
        }
    }

    private static func isListening(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = self.address(port: port)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
