internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsVocabulary

/// All processes of an app, found by the app's own user, a cgroup, or marks.
///
/// A hostile app can make a scan of `/proc` slow, so do not call ``end()`` on the daemon's queue.
struct AppProcesses: Sendable, Hashable {
    /// The app's own user; nil: apps run as locationd's user, or another process of the app must keep running.
    var user: uid_t?
    /// The cgroup of the processes; nil: there is no cgroup.
    var cgroup: Cgroup?
    /// The marks of the processes; empty: marks cannot be used on this machine, or are not needed.
    var marks: Set<AppMark> = []

    /// How long ``end()`` tries.
    ///
    /// Source: our choice. A killed process ends at once unless it waits for a disk.
    private static let patience = Duration.seconds(2)

    /// Whether nothing is known by which to find processes.
    var isEmpty: Bool { self == AppProcesses() }

    /// Kills all these processes, and waits until they have ended, for two seconds at most.
    ///
    /// Only a scan of `/proc` that has begun takes longer.
    ///
    /// - Returns: whether all have ended.
    func end() -> Bool {
        let deadline = Clocks.now().monotonic.advanced(by: Self.patience)
        repeat {
            self.cgroup?.kill()
            if self.user == nil { for mark in self.marks { mark.kill() } }
            // Require a complete kill first: a scan of /proc alone can miss processes that replace each other.
            if self.user.map({ clinux_kill_user($0) == 0 }) ?? true, self.haveEnded { return true }
            poll(nil, 0, 10)
        } while Clocks.now().monotonic < deadline
        return false
    }

    private var haveEnded: Bool {
        if self.cgroup?.isPopulated == true { return false }
        // The kernel still counts a zombie as its user's, but a zombie does nothing more.
        if let user = self.user {
            return clinux_user_has_processes(user) == 0 || ProcessMarks.processes(of: user).isEmpty
        }
        return self.marks.allSatisfy(\.processes.isEmpty)
    }
}
