internal import Foundation
internal import Glibc
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The marks of processes that locationd starts for apps (ADR 0006).
///
/// Descendants inherit the mark, also after they left their parent, session or group, or locationd was killed. A mark
/// is the hard limit `RLIMIT_LOCKS`. Linux ignores this limit since 2.4.25 (getrlimit(2)), so programs have no reason
/// to set it. A process without privileges can lower it, but not raise it again. A process that lowers its limit still
/// counts as an app's process, but locationd does not find it when its app ends.
struct ProcessMarks: Sendable, Hashable {
    /// The upper half of all marks, derived from the state directory, so that no locationd ends the apps of another.
    private let directory: UInt64
    /// The users that apps run as; a process of another user has the same limit by chance, or because a privileged
    /// program set it.
    private let users: ClosedRange<UInt32>
    /// The maximum number of repeated scans for processes that started during the last scan; two processes can start each
    /// other forever.
    private static let looks = 32

    /// Creates the marks of a locationd's apps; nil when the limit of this process is already set or cannot be read, so
    /// that marks would identify nothing.
    ///
    /// - Parameters:
    ///   - state: the state directory of this locationd.
    ///   - users: the users that its apps run as.
    init?(state: String, users: ClosedRange<UInt32>) {
        guard Self.limit(of: getpid()) == .max else { return nil }
        self.directory = Self.half(of: [state])
        self.users = users
    }

    /// The mark of an app's processes or of its extension's processes, which is not a secret.
    func mark(of bundle: BundleID, isExtension: Bool = false) -> AppMark {
        let half = Self.half(of: [bundle.rawValue, isExtension ? "extension" : "app"])
        return AppMark(marks: self, value: self.directory << 31 | half)
    }

    private static func half(of texts: [String]) -> UInt64 {
        var hash = FNV1a()
        for text in texts {
            hash.add(text.utf8)
            // Separate the texts, so that different lists have different hashes.
            hash.add(UInt8(0))
        }
        return hash.value >> 33
    }

    /// Whether a process has a mark of any locationd, even if the process lowered its mark.
    ///
    /// A process that cannot be examined any more counts as marked.
    static func isMarked(_ pid: Int32) -> Bool { self.limit(of: pid) != .max }

    /// Kills all marked processes of this locationd's apps, except those with these marks.
    ///
    /// - Returns: the number of killed processes.
    func killAll(but spared: Set<AppMark>) -> Int {
        let spared = Set(spared.map(\.value))
        return self.kill { $0 >> 31 == self.directory && !spared.contains($0) }.count
    }

    /// Kills the processes with matching marks.
    @discardableResult
    func kill(where isMeant: (UInt64) -> Bool) -> Set<ProcessIdentity> {
        var killed: Set<ProcessIdentity> = []
        // Stop the processes first, so that they cannot fork before the kill; repeat while any process is found.
        for _ in 0..<Self.looks {
            let found = self.processes(where: isMeant)
            if found.isEmpty { break }
            for process in found { process.signal(SIGSTOP) }
            for process in found { process.signal(SIGKILL) }
            killed.formUnion(found)
        }
        return killed
    }

    /// Stops the processes with matching marks, and every process that they start meanwhile.
    func stop(where isMeant: (UInt64) -> Bool) -> Set<ProcessIdentity> {
        var stopped: Set<ProcessIdentity> = []
        for _ in 0..<Self.looks {
            let found = self.processes(where: isMeant).subtracting(stopped)
            if found.isEmpty { break }
            for process in found { process.signal(SIGSTOP) }
            stopped.formUnion(found)
        }
        return stopped
    }

    /// The processes with matching marks.
    func processes(where isMeant: (UInt64) -> Bool) -> Set<ProcessIdentity> {
        let found = ProcessTree.numbers.compactMap { pid -> ProcessIdentity? in
            // Read the identity first. If another process gets the number meanwhile, signals to this identity reach nothing.
            guard pid != getpid(), let process = ProcessIdentity(pid: pid), Self.limit(of: pid).map(isMeant) == true,
                Self.user(of: pid).map(self.users.contains) == true
            else { return nil }
            return process
        }
        return Set(found)
    }

    /// The running processes of a user.
    static func processes(of user: UInt32) -> [ProcessIdentity] {
        ProcessTree.numbers.compactMap { self.user(of: $0) == user ? ProcessIdentity(pid: $0) : nil }
    }

    /// The hard limit in `/proc/PID/limits`, which everyone may read (proc(5)); `UInt64.max`: no limit; nil: the
    /// process has ended.
    private static func limit(of pid: Int32) -> UInt64? {
        self.fields(of: pid, in: "limits", behind: "Max file locks").flatMap { fields in
            guard fields.count > 1 else { return nil }
            return fields[1] == "unlimited" ? .max : UInt64(fields[1])
        }
    }

    /// The user that a process runs as; the owner of its folder in /proc may differ, if the process forbids memory dumps.
    ///
    /// Nil: the process has ended.
    private static func user(of pid: Int32) -> UInt32? {
        self.fields(of: pid, in: "status", behind: "Uid:").flatMap { $0.first.flatMap { UInt32($0) } }
    }

    private static func fields(of pid: Int32, in file: String, behind name: String) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/\(file)") else { return nil }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }?.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
    }
}
