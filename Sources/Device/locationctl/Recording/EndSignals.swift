internal import Glibc

/// Recognizes Ctrl-C, SIGTERM and SIGHUP, which stay pending until ``hasCome`` is read.
struct EndSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks these signals, and ignores SIGXFSZ, so that a write at the file size limit fails instead.
    init() {
        signal(SIGXFSZ, SIG_IGN)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in Self.numbers { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    var hasCome: Bool {
        var set = sigset_t()
        unsafe sigpending(&set)
        return Self.numbers.contains { unsafe sigismember(&set, $0) == 1 }
    }
}
