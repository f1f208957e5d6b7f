internal import Foundation
internal import LocationEngine
internal import Testing

@testable internal import LocationDaemon

@Suite struct BundleTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    @Test func aRightBundleIsRead() throws {
        let bundle = try AppBundle(path: self.scratch.makeBundle())
        #expect(bundle.id == BundleID("com.example.Test"))
        #expect(bundle.pushExtension != nil)
        #expect(bundle.entitlements == ["aps-environment", "com.apple.developer.location.push"])
    }

    @Test(arguments: [
        "CFBundleIdentifier", "CFBundleExecutable", "NSLocationWhenInUseUsageDescription",
        "NSLocationAlwaysAndWhenInUseUsageDescription", "com.apple.developer.location.push", "aps-environment",
    ])
    func whatIsMissingIsNamed(_ key: String) throws {
        let path = try self.scratch.makeBundle(removing: [key])
        let error = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(error.description.contains(key))
    }

    @Test(arguments: [
        ("CFBundleIdentifier", "../../etc"), ("CFBundleIdentifier", "a b"), ("CFBundleExecutable", "../Test"),
        ("CFBundleExecutable", "Absent"),
    ])
    func whatIsWrongIsNamed(_ key: String, _ value: String) throws {
        let path = try self.scratch.makeBundle(changing: [key: value])
        let error = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(error.description.contains(key))
    }

    @Test func approvalIsRememberedAndLostWithTheFilesItWasGivenFor() throws {
        let path = try self.scratch.makeBundle()
        let place = self.scratch.path + "/apps"
        var store = try BundleStore(directory: place)
        let approved: Set<String> = ["com.apple.developer.location.push", "aps-environment"]
        _ = try store.install(path: path, approving: approved)
        let id = BundleID("com.example.Test")
        #expect(try BundleStore(directory: place).apps[id]?.approved == approved)
        let executable = try #require(store.apps[id]).bundle.executable
        try Data("#!/bin/sh\nexit 1\n".utf8).write(to: URL(fileURLWithPath: executable))
        let changed = try #require(try BundleStore(directory: place).apps[id])
        #expect(changed.approved.isEmpty && !changed.isIntact)
    }

    @Test(arguments: ["link", "pipe"]) func whatIsNoFileIsNotInstalled(_ kind: String) throws {
        let path = try self.scratch.makeBundle()
        if kind == "link" {
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "/etc/hostname")
        } else {
            #expect(unsafe mkfifo(path + "/pipe", 0o600) == 0)
        }
        var store = try BundleStore(directory: self.scratch.path + "/apps")
        let error = try #require(throws: DaemonError.self) { try store.install(path: path, approving: []) }
        #expect(error.description.contains("Test.app/\(kind)"))
    }

    @Test func whatIsNotAskedForCannotBeApproved() throws {
        let path = try self.scratch.makeBundle()
        var store = try BundleStore(directory: self.scratch.path + "/apps")
        #expect(throws: DaemonError.self) { try store.install(path: path, approving: ["com.example.root"]) }
        #expect(store.apps.isEmpty)
    }
}
