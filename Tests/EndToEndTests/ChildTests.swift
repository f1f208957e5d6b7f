internal import Glibc
internal import Rig
internal import Testing

@Suite struct ChildTests {
    /// Goal: SIGTERM ends a child process, although the threads of Swift's pool block signals.
    ///
    /// Method: the child prints its signal mask.
    @Test func childrenBlockNoSignal() throws {
        var blocked = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGTERM)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let child = try Child("grep", "/bin/grep", ["SigBlk", "/proc/self/status"], log: "/dev/null")
        let ended = try child.waitForEnd(within: 20)
        #expect(ended.output == "SigBlk:\t0000000000000000\n")
    }
}
