internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Why a server cannot listen on an address, in our own words: texts of libraries name calls and numbers, but no remedy.
package struct ListeningFailure: Error, Sendable, CustomStringConvertible {
    /// The address, the reason and the remedy.
    package let description: String

    /// Finds the reason in a library's error.
    ///
    /// - Parameters:
    ///   - address: the address, as the user wrote it.
    ///   - error: the library's error.
    package init(_ address: String, _ error: any Error) {
        let errno = (error as? IOError)?.errnoCode
        let words =
            switch errno {
            case EADDRINUSE: "is in use by another program; give another port, or end that program"
            case EACCES: "may not be used by this user; give a port of 1024 or more"
            case EADDRNOTAVAIL: "is not an address of this machine; give one of its addresses, or 0.0.0.0 for all"
            case .some, nil:
                "cannot be listened on (\(type(of: error))); give an address of this machine and a free port"
            }
        self.description = "\(address) \(words)"
    }
}
