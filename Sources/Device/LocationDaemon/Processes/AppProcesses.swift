internal import Glibc
internal import WhereaboutsCLinux

/// Everything that runs for an app, identified by its own user, a cgroup, or a mark.
///
/// A look at `/proc` takes as long as a hostile app makes it take, so ``end()`` is not for the daemon's queue.
struct AppProcesses: Sendable, Hashable {
    /// The app's own user; nil: apps run as locationd does, or another process of the app's runs on as that user.
    var user: uid_t?
    /// Nil: there is none.
    var cgroup: Cgroup?
    /// Nil: marks do not work here.
    var mark: AppMark?

    /// The rounds of ``end()``, ten milliseconds apart.
    ///
    /// Source: our choice. A killed process ends at once unless it waits for a disk.
    private static let rounds = 200

    /// Whether there is no way to find processes.
    var isEmpty: Bool { self == AppProcesses() }

    /// Kills all of them, and waits for two seconds at most.
    ///
    /// - Returns: whether none is left.
    func end() -> Bool {
        for _ in 0..<Self.rounds {
            self.cgroup?.kill()
            if self.user == nil { self.mark?.kill() }
            // Without that step a look at /proc would prove nothing: it misses processes that replace each other.
            if self.user.map({ clinux_kill_user($0) == 0 }) ?? true, self.haveEnded { return true }
            poll(nil, 0, 10)
        }
        return false
    }

    private var haveEnded: Bool {
        if self.cgroup?.isPopulated == true { return false }
        // A zombie still counts as its user's, but does nothing more.
        if let user = self.user {
            return clinux_user_has_processes(user) == 0 || ProcessMarks.processes(of: user).isEmpty
        }
        return self.mark?.processes.isEmpty ?? true
    }
}
