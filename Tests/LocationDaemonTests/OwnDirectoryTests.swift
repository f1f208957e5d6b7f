internal import Foundation
internal import Glibc
internal import Logging
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

@testable internal import WhereaboutsLocationDaemon

/// Goal: only locationd's user can write in the state directory.
@Suite struct OwnDirectoryTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    /// A directory's attributes, and whether a locationd of user 1000 trusts its contents.
    struct Directory: Sendable {
        var owner: uid_t
        var mode: mode_t
        var isOwn: Bool
    }

    @Test(arguments: [
        Directory(owner: 1000, mode: 0o700, isOwn: true),
        Directory(owner: 1000, mode: 0o755, isOwn: true),
        Directory(owner: 0, mode: 0o711, isOwn: true),
        Directory(owner: 1000, mode: 0o777, isOwn: false),
        Directory(owner: 1000, mode: 0o770, isOwn: false),
        Directory(owner: 1000, mode: 0o702, isOwn: false),
        Directory(owner: 0, mode: 0o1777, isOwn: false),
        Directory(owner: 1001, mode: 0o700, isOwn: false),
    ])
    func onlyTheOwnerWrites(_ directory: Directory) {
        let fault = OwnDirectory.fault(of: "/state", owner: directory.owner, mode: directory.mode | S_IFDIR, user: 1000)
        #expect((fault == nil) == directory.isOwn)
        // This user cannot change the modes of root's and shared directories.
        if directory.owner == 0 { #expect(fault?.remedy.contains("chmod") != true) }
    }

    @Test(arguments: ["", "/apps", "/containers", "/output", "/pushes"])
    func eachFolderIsLookedAt(_ name: String) throws {
        let state = self.scratch.path + "/state"
        for folder in OwnDirectory.all(in: state) { try StateFile.makeDirectory(folder) }
        #expect(OwnDirectory.fault(in: state) == nil)
        #expect(unsafe chmod(state + name, 0o777) == 0)
        #expect(
            OwnDirectory.fault(in: state)?.words.hasPrefix("\(state)\(name) may be written by others (mode 777)")
                == true
        )
    }

    /// A directory on the path to the state, and whether another user could replace the directories below it.
    struct Parent: Sendable {
        var user: uid_t
        var group: gid_t
        var mode: mode_t
        var isSafe: Bool
    }

    @Test(arguments: [
        Parent(user: 0, group: 0, mode: 0o755, isSafe: true),
        Parent(user: 1000, group: 1000, mode: 0o700, isSafe: true),
        // /tmp; a home directory on a system where each user has a group; root's directory outside of a container.
        Parent(user: 0, group: 0, mode: 0o1777, isSafe: true),
        Parent(user: 1000, group: 1000, mode: 0o775, isSafe: true),
        Parent(user: 65_534, group: 65_534, mode: 0o755, isSafe: true),
        Parent(user: 0, group: 0, mode: 0o777, isSafe: false),
        Parent(user: 1000, group: 1000, mode: 0o777, isSafe: false),
        Parent(user: 1000, group: 100, mode: 0o775, isSafe: false),
        Parent(user: 0, group: 50, mode: 0o2775, isSafe: false),
        Parent(user: 1001, group: 1001, mode: 0o755, isSafe: false),
    ])
    func nobodyExchangesADirectoryOnTheWay(_ parent: Parent) {
        let fault = OwnDirectory.fault(
            of: "/a",
            onTheWayTo: "/a/b/state",
            .init(user: parent.user, group: parent.group),
            mode: parent.mode | S_IFDIR,
            user: 1000,
            for: .state
        )
        #expect((fault == nil) == parent.isSafe)
        #expect(fault?.remedy.contains("chmod") != true || parent.user == 1000)
    }

    @Test func theWayIsThatOfTheNameAndThatOfTheDirectory() throws {
        let (real, link) = (OwnDirectory.real(self.scratch.path), self.scratch.path + "/link")
        try StateFile.makeDirectory(self.scratch.path + "/a/b")
        #expect(unsafe symlink("a", link) == 0)
        let way = OwnDirectory.way(to: link + "/b")
        #expect(way.first == "/" && way.contains(link) && way.contains(real + "/a") && !way.contains(link + "/b"))
        #expect(OwnDirectory.fault(in: link + "/b") == nil)
        #expect(unsafe chmod(self.scratch.path + "/a", 0o777) == 0)
        #expect(OwnDirectory.fault(in: link + "/b")?.words.contains("on the way to \(link)/b") == true)
        #expect(OwnDirectory.fault(ofRuntime: link + "/b")?.remedy.contains("--runtime") == true)
        #expect(unsafe chmod(self.scratch.path + "/a", 0o1777) == 0)
        #expect(OwnDirectory.fault(in: link + "/b") == nil)
        #expect(OwnDirectory.way(to: "/state") == ["/"])
    }

    /// Goal: a variable without an absolute path is ignored.
    @Test(arguments: [
        (["XDG_RUNTIME_DIR": "/run/user/7"], "/run/user/7/locationd"), ([:], "/run/user/1000/locationd"),
        (["XDG_RUNTIME_DIR": "rel"], "/run/user/1000/locationd"),
        (["XDG_RUNTIME_DIR": "/x", "LOCATIOND_RUNTIME": "/y"], "/y"),
    ])
    func theUsersRuntimeDirectory(_ variables: [String: String], _ path: String) {
        #expect(SocketPaths.own(of: 1000) { variables[$0] } == path)
        #expect(SocketPaths.own(of: 0) { $0 == "XDG_RUNTIME_DIR" ? variables[$0] : nil } == "/run/locationd")
    }

    /// Goal: for a link, the target directory is checked and named.
    @Test func aLinkHidesNothing() throws {
        let (state, link) = (self.scratch.path + "/state", self.scratch.path + "/link")
        try StateFile.makeDirectory(state)
        #expect(unsafe symlink("state", link) == 0)
        #expect(OwnDirectory.real(link) == OwnDirectory.real(state))
        #expect(OwnDirectory.real(link).hasSuffix("/state"))
        #expect(OwnDirectory.fault(in: link) == nil)
        #expect(unsafe chmod(state, 0o733) == 0)
        #expect(OwnDirectory.fault(in: link) != nil)
        #expect(OwnDirectory.real(link + "/nothing") == link + "/nothing")
    }

    /// Goal: another user can change neither the state, nor the sockets, nor the path to them.
    @Test(arguments: ["state", "runtime", "deep"])
    func aDaemonDoesNotStartThere(_ open: String) throws {
        let (state, runtime) = (self.scratch.path + "/deep/state", self.scratch.path + "/deep/runtime")
        for folder in [state, runtime] { try StateFile.makeDirectory(folder) }
        let folder = open == "deep" ? self.scratch.path + "/deep" : self.scratch.path + "/deep/" + open
        #expect(unsafe chmod(folder, 0o777) == 0)
        let error = #expect(throws: DaemonError.self) {
            try Daemon(
                DaemonConfiguration(
                    stateDirectory: state,
                    runtimeDirectory: runtime,
                    sources: [.gpsd(host: "localhost", port: 1)],
                    gateway: nil,
                    launcherPath: "/bin/true",
                    policy: Policy(),
                    cgroupDirectory: "none"
                ),
                logger: Logger(label: "test")
            )
        }
        #expect(error?.description.contains("chmod go-w \(folder)") == true)
        #expect(!FileManager.default.fileExists(atPath: state + "/device.key"))
    }
}
