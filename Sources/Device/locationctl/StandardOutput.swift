internal import Glibc
internal import WhereaboutsCLinux

/// The last station of all output: a verb whose result cannot be written fails, or its caller would act on half of it.
enum StandardOutput {
    /// Has the process fail when its output cannot be written, however it ends; a reader that goes ends it quietly.
    static func watch() {
        Self.openClosed()
        // A parent that ignores SIGPIPE hands that down: a closed pipe would be reported as a failure.
        signal(SIGPIPE, SIG_DFL)
        atexit { StandardOutput.flush() }
    }

    /// Opens those of the three standard descriptors that are closed, so that no socket takes their place, and is read as a person's words, or
    /// told what is meant for people: input ends at once, and output fails.
    private static func openClosed() {
        for (descriptor, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // It takes the lowest that is free.
            _ = unsafe open("/dev/null", flags)
        }
    }

    /// Prints at once, also into a pipe.
    static func show(_ text: String) {
        print(text, terminator: "")
        self.flush()
    }

    /// Writes what was printed, or ends the process; also in the middle of exit(3), which must not be called again.
    private static func flush() {
        let code = clinux_flush_stdout()
        guard code != 0 else { return }
        let reason = code > 0 ? ": " + (unsafe String(cString: strerror(code))) : ""
        let message = "Error: standard output cannot be written\(reason); free space there, or send it elsewhere\n"
        _ = unsafe write(2, message, message.utf8.count)
        _exit(1)
    }
}
