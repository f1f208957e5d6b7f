internal import Glibc

/// The wish to end, as a person says it with Ctrl-C, and a system with SIGTERM: it waits until it is looked at.
struct EndSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// Has them wait from now on; a file that reaches the limit of its size is reported by the write.
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
