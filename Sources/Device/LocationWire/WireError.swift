internal import Glibc

/// An operation on a wire that the system refused, or a packet that is no message.
package struct WireError: Error, Hashable, CustomStringConvertible {
    package let description: String
    /// The system's error number; 0 when the system is not to blame.
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
