internal import Foundation
internal import WhereaboutsCLinux

/// A server process holds keys and tokens; they must not reach a core file or another process.
enum Secrecy {
    /// Forbids core files, and reading the process's memory.
    static func keep() throws {
        guard clinux_forbid_dumps() == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM) }
    }
}
