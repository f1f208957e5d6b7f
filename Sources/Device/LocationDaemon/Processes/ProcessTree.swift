internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsVocabulary

/// The descent of processes, according to the kernel.
enum ProcessTree {
    /// A process's parent and session (proc(5), fields 4 and 6); nil when it has ended.
    private static func relations(of pid: Int32) -> (parent: Int32, session: Int32)? {
        guard let fields = ProcessIdentity.fields(of: pid), fields.count > 3, let parent = Int32(fields[1]),
            let session = Int32(fields[3])
        else { return nil }
        return (parent, session)
    }

    /// The process, its ancestors, and their sessions; nil when the process has ended.
    static func kin(of pid: Int32) -> Set<Int32>? {
        var forebears: Set<Int32> = []
        var sessions: Set<Int32> = []
        var next = pid
        // Stop at a number that was already visited: reused numbers could otherwise form a cycle.
        while next > 1, forebears.insert(next).inserted {
            guard let relations = self.relations(of: next) else { return next == pid ? nil : forebears.union(sessions) }
            sessions.insert(relations.session)
            next = relations.parent
        }
        return forebears.union(sessions)
    }

    /// The numbers of all visible processes.
    static var numbers: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
    }

    private static func descendants(of pid: Int32) -> [ProcessIdentity] {
        // Read the identity first. If another process gets the number meanwhile, signals to this identity reach nothing.
        let processes = self.numbers.compactMap { each in
            ProcessIdentity(pid: each).flatMap { identity in
                self.relations(of: each).map { (identity: identity, parent: $0.parent) }
            }
        }
        var family: Set<Int32> = [pid]
        var hasGrown = true
        while hasGrown {
            let more = processes.filter { family.contains($0.parent) && !family.contains($0.identity.pid) }
            hasGrown = !more.isEmpty
            family.formUnion(more.map(\.identity.pid))
        }
        return processes.map(\.identity).filter { $0.pid != pid && family.contains($0.pid) }
    }

    /// Kills all descendants of a process, but not the process itself: while it runs, it stays their ancestor.
    static func killDescendants(of pid: Int32) {
        // Stop the processes first, so that they cannot fork before the kill; repeat while any process is found.
        for _ in 0..<32 {
            let family = self.descendants(of: pid)
            if family.isEmpty { return }
            for member in family { member.signal(SIGSTOP) }
            for member in family { member.signal(SIGKILL) }
        }
    }

    /// Identifies a refused process in the log, so that the owner knows which program to end or which user to admit.
    static func metadata(of pid: Int32?, _ user: uid_t?) -> Logger.Metadata {
        guard let pid, let user else { return [:] }
        return ["pid": "\(pid)", "uid": "\(user)", "program": "\(self.program(of: pid))"]
    }

    /// The name that a process has given itself; empty when the process has ended.
    static func program(of pid: Int32) -> String {
        let name = FileManager.default.contents(atPath: "/proc/\(pid)/comm") ?? Data()
        return PlainText.of(String(decoding: name, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? "")
    }
}
