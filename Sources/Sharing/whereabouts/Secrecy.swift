internal import Foundation
internal import WhereaboutsCLinux

/// Keys and tokens are in the process of a server: nothing of them may reach a core file or another process.
enum Secrecy {
    /// Forbids core files, and looking into the process.
    static func keep() throws {
        guard clinux_forbid_dumps() == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM) }
    }
}
