internal import Foundation
internal import Glibc
internal import Rig

/// The system calls of some processes, and of all processes they start, as `strace` lists them.
///
/// A count does not depend on how fast the machine is. It does depend on which operations share a call, so a benchmark finishes
/// one operation before it starts the next.
struct SystemCalls {
    /// The number of calls by name; calls whose number grows with time are left out.
    let counts: [String: Int]
    /// The bytes that were read and written on TCP connections, by the port at the side of the traced process.
    let bytes: [Int: Int]

    /// Calls that wait: on a slow machine, more of them end without an event, and more locks are held by another thread.
    private static let waits: Set<Substring> = [
        "epoll_wait", "futex", "poll", "restart_syscall", "sched_yield", "timerfd_settime", "wait4",
    ]
    private static let transfers: Set<Substring> = [
        "read", "readv", "recvfrom", "recvmsg", "write", "writev", "sendto", "sendmsg",
    ]
    private static let strace = "/usr/bin/strace"

    /// The number of calls.
    var total: Int { self.counts.values.reduce(0, +) }

    /// The number of calls that wait for the disk.
    var syncs: Int { self.counts["fsync", default: 0] + self.counts["fdatasync", default: 0] }

    /// Counts the calls of processes while `body` runs.
    ///
    /// - Parameters:
    ///   - processes: the processes, which run already.
    ///   - directory: an existing directory for the lists.
    ///   - body: the operations to count.
    /// - Returns: the counts.
    /// - Throws: ``NotMeasured`` if strace is missing or may not attach, ``RigError``, and the errors of `body`.
    static func count(
        of processes: [Int32],
        in directory: String,
        while body: () async throws -> Void
    ) async throws -> SystemCalls {
        guard FileManager.default.isExecutableFile(atPath: Self.strace) else {
            throw NotMeasured(reason: "strace is missing; apt-get install strace")
        }
        let lists = "\(directory)/calls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: lists, withIntermediateDirectories: false)
        let log = "\(lists)/log"
        let child = try Child(
            "strace",
            Self.strace,
            // One list for each thread, with the addresses of sockets and without the contents of strings.
            ["-ff", "-yy", "-s", "0", "-e", "signal=none", "-o", "\(lists)/thread"]
                + processes.flatMap { ["-p", "\($0)"] },
            log: log
        )
        defer { child.kill() }
        for process in processes { try await Self.waitUntilTraced(process, log: log) }
        try await body()
        kill(child.pid, SIGTERM)
        _ = try child.waitForEnd(within: 20)
        let names = try FileManager.default.contentsOfDirectory(atPath: lists).filter { $0.hasPrefix("thread") }
        return try SystemCalls(lists: names.map { try String(contentsOfFile: "\(lists)/\($0)", encoding: .utf8) })
    }

    /// Reads lists with a call on each line, such as `write(14<TCP:[127.0.0.1:443->127.0.0.1:5000]>, ""..., 93) = 93`.
    init(lists: [String]) throws {
        var counts: [String: Int] = [:]
        var bytes: [Int: Int] = [:]
        for line in lists.flatMap({ $0.split(separator: "\n") }) {
            guard let end = line.firstIndex(of: "("), !Self.waits.contains(line[..<end]) else { continue }
            // The extension's supervisor looks at its processes many times a second.
            guard !line.contains(/\/proc\/[0-9]/) else { continue }
            counts[String(line[..<end]), default: 0] += 1
            guard Self.transfers.contains(line[..<end]), let port = Self.localPort(line), let count = Self.result(line)
            else { continue }
            bytes[port, default: 0] += count
        }
        guard !counts.isEmpty else { throw RigError("strace", "it listed no system call") }
        self.counts = counts
        self.bytes = bytes
    }

    /// The port in `<TCP:[127.0.0.1:443->`; nil if the call is not for a TCP connection.
    private static func localPort(_ line: Substring) -> Int? {
        guard let start = line.range(of: "<TCP:["), let arrow = line.range(of: "->"),
            start.upperBound < arrow.lowerBound
        else { return nil }
        return line[start.upperBound..<arrow.lowerBound].split(separator: ":").last.flatMap { Int($0) }
    }

    /// The number behind the last `= `; nil if the call failed or did not return.
    private static func result(_ line: Substring) -> Int? {
        guard let sign = line.range(of: "= ", options: .backwards) else { return nil }
        return Int(line[sign.upperBound...]).flatMap { $0 < 0 ? nil : $0 }
    }

    /// Waits until strace is attached to each thread of a process.
    private static func waitUntilTraced(_ process: Int32, log: String) async throws {
        for _ in 0..<1000 {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
            let isTraced = threads.allSatisfy { thread in
                let status = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
                return status.map { !$0.contains("TracerPid:\t0\n") } ?? true
            }
            if isTraced { return }
            let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            if said.contains("Operation not permitted") {
                throw NotMeasured(reason: "strace may not attach to a process here; see kernel.yama.ptrace_scope")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RigError("strace", "it did not attach to process \(process) in 10 s; see \(log)")
    }
}
