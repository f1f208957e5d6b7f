internal import CLinux
internal import Glibc

/// What all verbs print goes through here at the end: what could not be written was not done.
enum StandardOutput {
    /// Has the process fail when its output cannot be written, however it ends; a reader that goes ends it quietly.
    static func watch() {
        // Whoever started this may have ignored it.
        signal(SIGPIPE, SIG_DFL)
        atexit {
            do {
                try StandardOutput.flush()
            } catch {
                let message = Array("Error: \(error)\n".utf8)
                _ = unsafe write(2, message, message.count)
                // In the middle of exit(3), which must not be called again.
                _exit(1)
            }
        }
    }

    /// Prints at once, also into a pipe.
    static func show(_ text: String) throws {
        print(text, terminator: "")
        try self.flush()
    }

    private static func flush() throws(Refused) {
        let code = clinux_flush_stdout()
        guard code != 0 else { return }
        let reason = code > 0 ? ": " + (unsafe String(cString: strerror(code))) : ""
        throw Refused("standard output cannot be written\(reason); free space there, or send it elsewhere")
    }
}
