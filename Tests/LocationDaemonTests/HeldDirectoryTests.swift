internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization
internal import Testing
internal import WhereaboutsCLinux

@testable internal import WhereaboutsLocationDaemon

/// Tests with files that another process changes while locationd works on them.
@Suite(.timeLimit(.minutes(1))) struct HeldDirectoryTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    private func path(_ name: String) -> String { self.scratch.path + "/" + name }

    private func make(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: self.path(folder), withIntermediateDirectories: true)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self.path(name)))
    }

    private func content(of name: String) -> String? { try? String(contentsOfFile: self.path(name), encoding: .utf8) }

    private func isThere(_ name: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: self.path(name))) != nil
    }

    /// Swaps two names repeatedly on another thread, as an attacker would, while the body runs.
    private func exchanging(_ one: String, _ other: String, _ body: () throws -> Void) rethrows {
        let isOver = Atomic(false)
        let ended = DispatchSemaphore(value: 0)
        let (one, other) = (self.path(one), self.path(other))
        Thread.detachNewThread {
            while !isOver.load(ordering: .relaxed) { _ = unsafe clinux_exchange(one, other) }
            ended.signal()
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            ended.wait()
        }
        try body()
    }

    private func remove(_ name: String) throws -> HeldDirectory.Rest {
        HeldDirectory.remove(name, in: try HeldDirectory(path: self.scratch.path))
    }

    // MARK: Removal

    @Test func everythingGoesHoweverDeepItLies() throws {
        try self.make("container/folder/.hidden")
        try self.write("x", to: "container/folder/.hidden/file")
        // Names that the removal itself gives to folders while it works.
        for name in ["1", "2"] { try self.make("container/\(name)/\(name)") }
        try self.write("x", to: "container/3")
        _ = unsafe symlink("/", self.path("container/folder/link"))
        _ = unsafe mkfifo(self.path("container/folder/pipe"), 0o600)
        _ = unsafe chmod(self.path("container/folder"), 0)
        // Twice as deep as the longest path, and deeper than the number of descriptors.
        var folder = unsafe open(self.path("container"), O_RDONLY | O_DIRECTORY)
        for _ in 0..<3000 {
            #expect(unsafe mkdirat(folder, "deep", 0o700) == 0)
            let inner = unsafe openat(folder, "deep", O_RDONLY | O_DIRECTORY)
            close(folder)
            folder = inner
        }
        close(folder)
        let rest = try self.remove("container")
        #expect(rest == .init() && !self.isThere("container"))
        let again = try self.remove("container")
        #expect(again == .init())
    }

    /// Goal: removal does not follow a folder that is replaced by a link in the meantime.
    @Test func anExchangedFolderLeadsNowhere() throws {
        try self.make("others")
        for number in 0..<10 { try self.write("x", to: "others/\(number)") }
        _ = unsafe symlink(self.path("others"), self.path("link"))
        for round in 0..<200 {
            try self.make("container/a/inner")
            try self.exchanging("container/a/inner", "link") {
                // The swap may make the link or the folder unreachable, which leaves a rest but does no harm.
                _ = try self.remove("container")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: self.path("others")).count
            #expect(left == 10, "round \(round)")
            for name in ["container", "link"] { _ = try self.remove(name) }
            _ = unsafe symlink(self.path("others"), self.path("link"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "skipped: only root mounts")) func whatStaysIsSaid() throws {
        try self.make("container/folder/mounted")
        try self.write("x", to: "container/file")
        let place = self.path("container/folder/mounted")
        guard unsafe mount("none", place, "tmpfs", 0, "size=64k") == 0 else {
            return print("skipped: mount(2) is refused")
        }
        defer { unsafe umount(place) }
        let rest = try self.remove("container")
        #expect(rest == .init(count: 1, reason: "Device or resource busy"))
        #expect(!self.isThere("container/file"))
    }

    // MARK: Copies

    private func copy(_ name: String, as reader: HeldDirectory.Reader? = nil) throws {
        _ = try self.remove("copy")
        try BundleCopy.copy(
            HeldDirectory(path: self.path(name), as: reader),
            at: self.path(name),
            to: self.path("copy")
        )
    }

    /// Goal: a file that is replaced by a link during the copy is refused, or was copied before.
    ///
    /// The copy never contains the link's target.
    @Test func anExchangedFileIsNotFollowed() throws {
        try self.make("Test.app")
        try self.write("secret", to: "secret")
        try self.write("own", to: "Test.app/file")
        _ = unsafe symlink(self.path("secret"), self.path("link"))
        var refusals = 0
        try self.exchanging("Test.app/file", "link") {
            for _ in 0..<2000 {
                do {
                    try self.copy("Test.app")
                    #expect(self.content(of: "copy/file") == "own")
                } catch let error as DaemonError {
                    #expect(error.description.contains("Test.app/file is neither a file nor a folder"))
                    refusals += 1
                }
            }
        }
        #expect(refusals > 0)
    }

    /// Goal: special files are not opened: a pipe without a writer would block all installations.
    @Test func aPipeHoldsNothingUp() throws {
        try self.make("Test.app")
        try self.write("own", to: "Test.app/file")
        _ = unsafe mkfifo(self.path("pipe"), 0o600)
        let held = try HeldDirectory(path: self.path("Test.app"))
        _ = unsafe clinux_exchange(self.path("Test.app/file"), self.path("pipe"))
        switch held.file("file") {
        case .some: Issue.record("a pipe was opened as a file")
        case nil: break
        }
        #expect(throws: DaemonError.self) { try self.copy("Test.app") }
    }

    @Test(arguments: ["a\nb", "\u{1B}[2J", "\u{202E}gpj"]) func aNameThatActsOnATerminalIsRefused(_ name: String) throws
    {
        try self.make("Test.app")
        try self.write("x", to: "Test.app/\(name)")
        let error = #expect(throws: DaemonError.self) { try self.copy("Test.app") }
        #expect(error?.description.contains("whose name is not plain text") == true)
    }

    @Test func foldersAreCopiedSoDeepAndNoDeeper() throws {
        let most = HeldDirectory.depthMax
        try self.make("Test.app/" + Array(repeating: "a", count: most - 1).joined(separator: "/"))
        try self.copy("Test.app")
        try self.make("Test.app/" + Array(repeating: "a", count: most).joined(separator: "/"))
        let error = #expect(throws: DaemonError.self) { try self.copy("Test.app") }
        #expect(error?.description.contains("folders more than \(most) deep") == true)
    }

    /// Goal: a user who lets root install a bundle can only make it read files that the user may read.
    @Test(.enabled(if: geteuid() == 0, "skipped: only root reads as others")) func whoInstallsReadsWithTheirOwnRights()
        throws
    {
        let reader = HeldDirectory.Reader(user: 61_234, groups: [61_234, 61_235])
        try self.make("Test.app/folder")
        for folder in ["", "Test.app", "Test.app/folder"] { _ = unsafe chmod(self.path(folder), 0o755) }
        try self.write("x", to: "Test.app/folder/file")
        let file = self.path("Test.app/folder/file")
        for (owner, group, mode) in [(61_234, 0, 0o400), (0, 61_235, 0o040), (0, 0, 0o004)] as [(uid_t, gid_t, mode_t)]
        {
            #expect(unsafe chown(file, owner, group) == 0 && chmod(file, mode) == 0)
            try self.copy("Test.app", as: reader)
        }
        #expect(unsafe chmod(file, 0o600) == 0)
        try self.copy("Test.app")
        let error = #expect(throws: DaemonError.self) { try self.copy("Test.app", as: reader) }
        #expect(error?.description.hasSuffix("Test.app/folder/file cannot be read: Permission denied") == true)
        #expect(unsafe chmod(self.path("Test.app/folder"), 0o700) == 0)
        #expect(throws: DaemonError.self) { try self.copy("Test.app", as: reader) }
        // This thread runs as root again.
        #expect(self.content(of: "Test.app/folder/file") == "x")
    }

    // MARK: Owners

    @Test(.enabled(if: geteuid() == 0, "skipped: only root gives files away")) func aContainerIsGivenAndNothingElse()
        throws
    {
        try self.make("container/folder")
        try self.write("x", to: "container/folder/file")
        try self.write("x", to: "other")
        _ = unsafe symlink(self.path("other"), self.path("container/link"))
        try HeldDirectory(path: self.path("container")).giveAll(to: 61_234)
        func owner(_ name: String) -> Int? {
            let attributes = try? FileManager.default.attributesOfItem(atPath: self.path(name))
            return attributes?[.ownerAccountID] as? Int
        }
        #expect(["folder", "folder/file", "link"].allSatisfy { owner("container/\($0)") == 61_234 })
        #expect(owner("container") == 0 && owner("other") == 0)
    }
}
