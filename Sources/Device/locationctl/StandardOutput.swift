internal import Glibc
internal import WhereaboutsCLinux

/// Makes a command fail if its output cannot be written, so that its caller never uses half of the output.
enum StandardOutput {
    /// Checks all output of this process, however it ends; if the reader closes the pipe, the process ends silently.
    static func watch() {
        Self.openClosed()
        // A process inherits an ignored SIGPIPE from its parent, and would then report a closed pipe as a failure.
        signal(SIGPIPE, SIG_DFL)
        atexit { StandardOutput.flush() }
    }

    /// Opens closed standard descriptors, so that no socket gets their numbers, reading standard input ends at once, and
    /// writing output fails.
    private static func openClosed() {
        for (descriptor, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The kernel assigns the lowest free number.
            _ = unsafe open("/dev/null", flags)
        }
    }

    /// Prints without buffering, also into a pipe.
    static func show(_ text: String) {
        print(text, terminator: "")
        self.flush()
    }

    /// Flushes standard output, or ends the process with _exit, because this also runs inside exit(3).
    private static func flush() {
        let code = clinux_flush_stdout()
        guard code != 0 else { return }
        let reason = code > 0 ? ": " + (unsafe String(cString: strerror(code))) : ""
        let message = "Error: standard output cannot be written\(reason); free space there, or send it elsewhere\n"
        _ = unsafe write(2, message, message.utf8.count)
        _exit(1)
    }
}
