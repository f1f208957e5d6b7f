internal import Glibc

/// An operation that the system refused, or a packet that cannot be decoded.
package struct WireError: Error, Hashable, CustomStringConvertible {
    package let description: String
    /// The system's error number; 0 if the cause is not a system call.
    package let code: Int32

    package init(_ operation: String, code: Int32) {
        self.description = "\(operation): \(unsafe String(cString: strerror(code)))"
        self.code = code
    }

    package init(malformed what: String) {
        self.description = what
        self.code = 0
    }
}
