internal import Glibc
internal import WhereaboutsNetworkSupport

extension FileIdentity {
    /// The identity of the file that a path leads to.
    ///
    /// - Throws: ``DaemonError`` naming the path and the reason.
    init(path: String) throws(DaemonError) {
        guard let identity = FileIdentity(ofFileAt: path) else {
            throw DaemonError("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        self = identity
    }
}
