internal import Foundation
internal import Glibc
internal import WhereaboutsVocabulary

/// A cgroup (v2) of locationd that contains an app's processes, and freezes, thaws and kills them together.
struct Cgroup: Hashable {
    let directory: String

    func freeze() -> Bool { self.write("1", to: "cgroup.freeze") }

    @discardableResult
    func thaw() -> Bool { self.write("0", to: "cgroup.freeze") }

    /// Kills all processes in the cgroup.
    func kill() { _ = self.write("1", to: "cgroup.kill") }

    /// Whether a process runs in the cgroup; false when the kernel does not report it.
    var isPopulated: Bool {
        let events = try? String(contentsOfFile: self.directory + "/cgroup.events", encoding: .utf8)
        return events?.contains("populated 1") ?? false
    }

    /// Removes the cgroup, and its parent after the last one.
    ///
    /// A cgroup with a process stays.
    func remove() {
        unsafe rmdir(self.directory)
        unsafe rmdir((self.directory as NSString).deletingLastPathComponent)
    }

    private func write(_ text: String, to name: String) -> Bool {
        let file = unsafe open(self.directory + "/" + name, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }
}

/// The cgroup (v2) that was delegated to locationd, below which it creates others; version 1 is not used (ADR 0023).
struct CgroupTree {
    /// The place to look for a delegated cgroup.
    enum Choice: Hashable {
        /// locationd's own cgroup, if it may create others in it.
        case own
        case at(String)
        /// None: processes are frozen by signals.
        case disabled
    }

    let directory: String

    /// Finds a delegated cgroup.
    ///
    /// - Parameters:
    ///   - choice: where to look.
    ///   - state: the state directory; its hash is part of the name, so that each locationd finds only its own cgroups.
    /// - Returns: nil when locationd may not create cgroups there.
    /// - Throws: ``DaemonError`` when the owner named a directory that cannot be used.
    static func find(_ choice: Choice, state: String) throws(DaemonError) -> CgroupTree? {
        let parent: String
        switch choice {
        case .disabled: return nil
        case .own:
            guard let own = self.own else { return nil }
            parent = own
        case .at(let directory): parent = directory
        }
        // Moving a process in also requires write access to the common parent of its old and new cgroup.
        let files = [parent, "\(parent)/cgroup.procs"]
        if files.allSatisfy({ unsafe access($0, W_OK) == 0 }), unsafe access("\(parent)/cgroup.controllers", R_OK) == 0
        {
            return CgroupTree(directory: parent + "/locationd-" + self.name(of: state))
        }
        guard case .at = choice else { return nil }
        throw DaemonError(
            "--cgroup \(parent): locationd cannot create cgroups (v2) there; delegate one (systemd: "
                + "Delegate=yes), or say --cgroup none to freeze apps by signals"
        )
    }

    /// The cgroup of this process in the version 2 hierarchy, wherever that is mounted.
    private static var own: String? {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
            let cgroups = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8),
            let path = cgroups.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3)
        else { return nil }
        for line in mounts.split(separator: "\n") where line.contains(" - cgroup2 ") {
            let fields = line.split(separator: " ")
            if fields.count > 4 { return path == "/" ? String(fields[4]) : "\(fields[4])\(path)" }
        }
        return nil
    }

    /// A name derived from the state directory; it is not a secret.
    private static func name(of state: String) -> String {
        var hash = FNV1a()
        hash.add(state.utf8)
        return String(hash.value, radix: 16)
    }

    /// Whether a process is in one of the cgroups made here.
    func holds(_ pid: Int32) -> Bool {
        let name = (self.directory as NSString).lastPathComponent
        let text = (try? String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").contains { $0.hasPrefix("0::") && $0.contains("/\(name)/") }
    }

    /// Creates the cgroup of a process that will be started; nil when the kernel refuses, so that signals are used instead.
    func make(_ name: String) -> Cgroup? {
        let cgroup = Cgroup(directory: self.directory + "/" + name)
        unsafe mkdir(self.directory, 0o755)
        unsafe mkdir(cgroup.directory, 0o755)
        // An earlier locationd may have left the cgroup frozen.
        return cgroup.thaw() ? cgroup : nil
    }

    static let appPrefix = "app-"
    static let extensionPrefix = "extension-"

    /// Cleans up after an earlier locationd: kills extensions, resumes apps, and removes empty cgroups.
    func sweep() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        for name in names {
            let cgroup = Cgroup(directory: self.directory + "/" + name)
            if name.hasPrefix(Self.appPrefix) {
                cgroup.thaw()
            } else if name.hasPrefix(Self.extensionPrefix) {
                cgroup.kill()
            } else {
                continue
            }
            cgroup.remove()
        }
    }
}
