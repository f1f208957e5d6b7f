internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux

/// A process's number and start time, which distinguish it from a later process with the same number.
struct ProcessIdentity: Hashable, Codable {
    let pid: Int32
    /// Clock ticks after the boot.
    let startTicks: UInt64

    /// Looks a running process up; nil when no process has that number.
    init?(pid: Int32) {
        // Field 22 of proc(5); the second field, the program's name in parentheses, may contain anything.
        guard let fields = Self.fields(of: pid) else { return nil }
        // A zombie has ended; only its parent has not looked.
        guard fields.count > 19, fields[0] != "Z", let ticks = UInt64(fields[19]) else { return nil }
        self.pid = pid
        self.startTicks = ticks
    }

    /// The fields of `/proc/PID/stat` behind the program's name, which is the program's to choose: it need not be UTF-8.
    static func fields(of pid: Int32) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") }
    }

    /// The identity of a child that has ended already and was not waited for: its number is still its own.
    init(ended pid: Int32) {
        self.pid = pid
        self.startTicks = 0
    }

    /// Signals the process, unless its number was reused.
    func signal(_ number: Int32) {
        // Opened before the comparison: from here on the descriptor identifies one process.
        let descriptor = clinux_pidfd_open(self.pid)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if ProcessIdentity(pid: self.pid) == self { _ = clinux_pidfd_send_signal(descriptor, number) }
    }
}
