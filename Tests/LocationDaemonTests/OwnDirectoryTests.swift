internal import Foundation
internal import Glibc
internal import LocationEngine
internal import Logging
internal import Testing

@testable internal import LocationDaemon

/// The state directory is nobody else's to write in.
@Suite struct OwnDirectoryTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    /// A directory by what the file system says, and whether a locationd of the user 1000 believes what lies there.
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
        // Root's directories, and those for everybody, are not this user's to close.
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

    /// Goal: by a link, the directory that it leads to is looked at, and has its own name.
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

    @Test func aDaemonDoesNotStartThere() throws {
        let state = self.scratch.path + "/state"
        try StateFile.makeDirectory(state)
        #expect(unsafe chmod(state, 0o777) == 0)
        let error = #expect(throws: DaemonError.self) {
            try Daemon(
                DaemonConfiguration(
                    stateDirectory: state,
                    runtimeDirectory: self.scratch.path + "/runtime",
                    sources: [.gpsd(host: "localhost", port: 1)],
                    gateway: nil,
                    launcherPath: "/bin/true",
                    policy: Policy(),
                    cgroupDirectory: "none"
                ),
                logger: Logger(label: "test")
            )
        }
        #expect(error?.description.contains("chmod go-w \(state)") == true)
        #expect(!FileManager.default.fileExists(atPath: state + "/device.key"))
    }
}
