internal import Foundation
internal import Glibc
internal import Rig
internal import Testing
internal import WhereaboutsCLinux

/// Tests for the interfaces through which gpsd publishes positions to every user of the machine; apps must not have
/// access.
@Suite(.offPool, .enabled(if: geteuid() == 0, "skipped: only root can act as an app's user"))
struct GPSDWaysTests {
    private static let user: uid_t = 74_200

    /// The doctor's check of gpsd's shared memory, with a segment that has this test's key.
    @Test func memoryThatEveryUserMayReadIsFound() throws {
        // The number of this process, which no other segment of a test has.
        let key = 0x5748_0000 ^ getpid()
        #expect(clinux_reads_memory(Self.user, key) == 0)
        let segment = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0o644)
        try #require(segment >= 0)
        defer { shmctl(segment, IPC_RMID, nil) }
        #expect(clinux_reads_memory(Self.user, key) == 1)
        var status = shmid_ds()
        try #require(unsafe shmctl(segment, IPC_STAT, &status) == 0)
        status.shm_perm.mode = 0o600
        try #require(unsafe shmctl(segment, IPC_SET, &status) == 0)
        #expect(clinux_reads_memory(Self.user, key) == 0)
    }

    /// The packaged policy blocks gpsd's signals on the system bus for apps, and for nobody who is root.
    @Test(
        .timeLimit(.minutes(1)),
        .enabled(
            if: ["dbus-daemon", "dbus-monitor", "dbus-send", "setpriv"].allSatisfy { Binaries.system($0) != nil },
            "skipped: dbus or setpriv is not installed"
        )
    )
    func signalsOfGPSDReachNoApp() throws {
        let scratch = try Scratch()
        try #require(unsafe chmod(scratch.path, 0o755) == 0)
        let socket = scratch.path + "/bus"
        let policy = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "packaging/locationd/gpsd.conf").path
        // Debian's system bus lets every user receive signals.
        let configuration = """
            <busconfig><type>system</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow send_type="signal"/><allow send_destination="org.freedesktop.DBus"/>
            <allow send_requested_reply="true" send_type="method_return"/><allow receive_type="method_call"/>
            <allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/></policy>
            <include>\(policy)</include></busconfig>
            """
        try Data(configuration.utf8).write(to: URL(filePath: scratch.path + "/bus.conf"))
        let options = ["--config-file=\(scratch.path)/bus.conf", "--nofork", "--print-pid"]
        let bus = try self.child("dbus-daemon", options, scratch)
        defer { bus.terminate() }
        _ = try bus.waitForLine(within: 30) { Int($0) != nil }
        let address = "unix:path=\(socket)"
        let watch = ["dbus-monitor", "--address", address, "type='signal'"]
        // dbus-daemon disconnects users without an account, such as apps' users; dbus-broker serves them.
        let drops = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        let (app, root) = (try self.child("setpriv", drops + watch, scratch), try self.child("setpriv", watch, scratch))
        defer { for monitor in [app, root] { monitor.terminate() } }
        for monitor in [app, root] { _ = try monitor.waitForLine(within: 30) { $0.contains("NameAcquired") } }
        for (interface, value) in [("org.gpsd.fix", "53.5"), ("org.example.last", "1.0")] {
            let send = ["--bus=\(address)", "--type=signal", "/org/gpsd", interface, "double:\(value)"]
            #expect(try self.child("dbus-send", send, scratch).waitForEnd(within: 30).status == 0)
        }
        _ = try root.waitForLine(within: 30) { $0.contains("53.5") }
        let first = try app.waitForLine(within: 30) { $0.contains("interface=org.gpsd") || $0.contains("org.example") }
        #expect(first.contains("org.example"))
    }

    private func child(_ program: String, _ arguments: [String], _ scratch: Scratch) throws -> Child {
        try Child(program, Binaries.system(program) ?? "", arguments, log: scratch.path + "/log")
    }
}
