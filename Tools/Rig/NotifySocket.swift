internal import Foundation
internal import Glibc

/// A socket like systemd's for the notifications of services (sd_notify(3)).
public final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    public let address: String
    private let descriptor: Int32

    /// Makes a socket.
    ///
    /// - Parameter isAbstract: whether the socket has no file, and a name that begins with `@`.
    /// - Throws: ``RigError`` if the socket cannot be created.
    public init(isAbstract: Bool = false) throws {
        let name = "whereabouts-notify-\(UUID().uuidString)"
        self.address = isAbstract ? "@" + name : NSTemporaryDirectory() + name
        self.descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(self.address.utf8)
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { field in
            unsafe field.copyBytes(from: bytes)
            if isAbstract { unsafe field[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let isBound = unsafe withUnsafeBytes(of: &place) { field in
            unsafe field.withMemoryRebound(to: sockaddr.self) {
                unsafe bind(self.descriptor, $0.baseAddress, length) == 0
            }
        }
        guard isBound else {
            throw RigError(self.address, "cannot be bound: \(unsafe String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(self.descriptor)
        unsafe unlink(self.address)
    }

    /// The next notification; nil: none came in time.
    public func next(within seconds: Double = 30) -> String? {
        var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, Int32(seconds * 1000)) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe recv(self.descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
