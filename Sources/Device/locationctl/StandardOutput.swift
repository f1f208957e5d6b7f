internal import Glibc
internal import WhereaboutsCLinux

/// Checks all output: a command whose result cannot be written fails, because its caller would use half of it.
enum StandardOutput {
    /// Makes the process fail when its output cannot be written, however it ends; a closed reader ends it silently.
    static func watch() {
        Self.openClosed()
        // A parent that ignores SIGPIPE hands that down: a closed pipe would be reported as a failure.
        signal(SIGPIPE, SIG_DFL)
        atexit { StandardOutput.flush() }
    }

    /// Opens closed standard descriptors, so that no socket takes their place: input then ends at once, and output
    /// fails.
    private static func openClosed() {
        for (descriptor, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The system uses the lowest free number.
            _ = unsafe open("/dev/null", flags)
        }
    }

    /// Prints at once, also into a pipe.
    static func show(_ text: String) {
        print(text, terminator: "")
        self.flush()
    }

    /// Writes the printed text, or ends the process; also inside exit(3), which must not be called again.
    private static func flush() {
        let code = clinux_flush_stdout()
        guard code != 0 else { return }
        let reason = code > 0 ? ": " + (unsafe String(cString: strerror(code))) : ""
        let message = "Error: standard output cannot be written\(reason); free space there, or send it elsewhere\n"
        _ = unsafe write(2, message, message.utf8.count)
        _exit(1)
    }
}
