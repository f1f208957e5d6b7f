internal import Glibc

/// The request to end, by Ctrl-C or SIGTERM, which waits until it is read.
struct EndSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks the signals from now on; the write reports a file at its size limit.
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
