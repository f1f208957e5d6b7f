internal import Foundation
internal import Glibc
internal import Rig
internal import Testing

/// Goal: other processes of the same user cannot read the memory of programs that hold keys or tokens, and a crash
/// leaves no copy of it.
@Suite(.timeLimit(.minutes(1))) final class MemorySecrecyTests {
    /// A user without files.
    ///
    /// Root may read all memory, so a test as root would prove nothing.
    private static let nobody: UInt32 = 65_534

    private let workspace: Workspace

    init() throws {
        self.workspace = try Workspace()
    }

    deinit { self.workspace.remove() }

    private func arguments(_ program: String) -> (path: String, arguments: [String]) {
        let place = self.workspace.directory
        let certificate = [
            "--certificate", self.workspace.certificatePath, "--private-key", self.workspace.privateKeyPath,
        ]
        let key = self.workspace.providerKeyPath
        return switch program {
        case "gateway":
            (
                "whereabouts",
                ["gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0"] + certificate + [
                    "--key", "\(Workspace.teamID):\(Workspace.keyID):\(key)", "--database", "\(place)/gateway.sqlite",
                ]
            )
        case "server":
            (
                "whereabouts",
                ["server", "--address", "127.0.0.1:0", "--database", "\(place)/server.sqlite"] + certificate + [
                    "--apns-endpoint", "localhost:1", "--apns-trust-roots", self.workspace.authorityPath,
                    "--apns-key", key, "--apns-key-id", Workspace.keyID, "--apns-team-id", Workspace.teamID,
                ]
            )
        default:
            (
                "locationd",
                [
                    "--state", "\(place)/state", "--runtime", "\(place)/run", "--gpsd", "127.0.0.1:9", "--cgroup",
                    "none",
                ]
            )
        }
    }

    /// Starts a program as a user who is not root.
    private func start(_ program: String) throws -> Child {
        let command = self.arguments(program)
        let log = self.workspace.directory + "/\(program).log"
        guard getuid() == 0 else {
            return try Child(program, Binaries().path(command.path), command.arguments, log: log)
        }
        // Other users cannot enter root's folders.
        for name in [command.path, "location-launch"] {
            try FileManager.default.copyItem(
                atPath: Binaries().path(name),
                toPath: "\(self.workspace.directory)/\(name)"
            )
        }
        let path = "\(self.workspace.directory)/\(command.path)"
        let files = FileManager.default.enumerator(atPath: self.workspace.directory)?.compactMap { $0 as? String } ?? []
        for file in [self.workspace.directory] + files.map({ self.workspace.directory + "/" + $0 }) {
            try #require(unsafe chown(file, Self.nobody, Self.nobody) == 0)
        }
        let user = ["--reuid", "\(Self.nobody)", "--regid", "\(Self.nobody)", "--clear-groups", path]
        return try Child(program, "/usr/bin/setpriv", user + command.arguments, log: log)
    }

    @Test(arguments: ["gateway", "server", "locationd"]) func nobodyElseReadsIt(_ program: String) throws {
        let child = try self.start(program)
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        let limits = try String(contentsOfFile: "/proc/\(child.pid)/limits", encoding: .utf8)
        #expect(limits.contains(/Max core file size +0 +0\b/), "\(limits)")
        // For a process that may not be traced, Linux gives its /proc files to root (proc(5)).
        var status = stat()
        try #require(unsafe stat("/proc/\(child.pid)/environ", &status) == 0)
        #expect(status.st_uid == 0)
        var process = stat()
        try #require(unsafe stat("/proc/\(getpid())/environ", &process) == 0)
        #expect(getuid() == 0 || process.st_uid == getuid(), "the rule of proc(5) does not hold here")
        child.terminate()
    }
}
