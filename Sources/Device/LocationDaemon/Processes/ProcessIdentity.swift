internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux

/// A process's number and start time, which distinguish it from a later process with the same number.
struct ProcessIdentity: Hashable, Codable {
    let pid: Int32
    /// The start time in clock ticks since the boot.
    let startTicks: UInt64

    /// Looks a running process up; nil when no process has that number.
    init?(pid: Int32) {
        // Field 22 of proc(5); the second field, the program's name in parentheses, may contain anything.
        guard let fields = Self.fields(of: pid) else { return nil }
        // A zombie has ended; its parent has only not reaped it yet.
        guard fields.count > 19, fields[0] != "Z", let ticks = UInt64(fields[19]) else { return nil }
        self.pid = pid
        self.startTicks = ticks
    }

    /// The fields of `/proc/PID/stat` after the program's name, which the program chooses: it need not be UTF-8.
    static func fields(of pid: Int32) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") }
    }

    /// The identity of a child that has ended and was not reaped, so that no other process has its number.
    init(ended pid: Int32) {
        self.pid = pid
        self.startTicks = 0
    }

    /// Signals the process, unless its number was reused.
    func signal(_ number: Int32) {
        // Open the descriptor before the comparison: afterwards it always identifies this process.
        let descriptor = clinux_pidfd_open(self.pid)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if ProcessIdentity(pid: self.pid) == self { _ = clinux_pidfd_send_signal(descriptor, number) }
    }
}
