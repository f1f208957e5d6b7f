internal import Foundation
internal import Testing
internal import WhereaboutsLocationEngine

@testable internal import WhereaboutsLocationDaemon

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
        "CFBundleIdentifier", "CFBundleExecutable", "com.apple.developer.location.push", "aps-environment",
    ])
    func whatIsMissingIsNamed(_ key: String) throws {
        let path = try self.scratch.makeBundle(removing: [key])
        let error = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(error.description.contains(key))
    }

    @Test(arguments: [
        ("CFBundleIdentifier", "../../etc"), ("CFBundleIdentifier", "a b"), ("CFBundleExecutable", "../Test"),
        ("CFBundleExecutable", "Absent"), ("aps-environment", "sandbox"),
    ])
    func whatIsWrongIsNamed(_ key: String, _ value: String) throws {
        let path = try self.scratch.makeBundle(changing: [key: value])
        let error = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(error.description.contains(key))
    }

    @Test func approvalIsRememberedAndLostWithTheFilesItWasGivenFor() throws {
        let path = try self.scratch.makeBundle()
        let place = self.scratch.path + "/apps"
        var store = try BundleStore(directory: place, seal: .ofTests)
        let approved: Set<String> = ["com.apple.developer.location.push", "aps-environment"]
        _ = try store.install(path: path, approving: approved, capabilities: [])
        let id = BundleID("com.example.Test")
        #expect(try BundleStore(directory: place, seal: .ofTests).apps[id]?.approved == approved)
        let executable = try #require(store.apps[id]).bundle.executable
        try Data("#!/bin/sh\nexit 1\n".utf8).write(to: URL(fileURLWithPath: executable))
        let changed = try #require(try BundleStore(directory: place, seal: .ofTests).apps[id])
        #expect(changed.approved.isEmpty && !changed.isIntact)
    }

    @Test(arguments: ["\u{1B}[31mRed", "two\nlines", "\u{202E}turned"])
    func aNameThatActsOnATerminalIsRefused(_ name: String) throws {
        let path = try self.scratch.makeBundle(adding: ["CFBundleName": name])
        let error = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(error.description.contains("CFBundleName"))
    }

    @Test func whatABrokenInstallationLeftIsRemoved() throws {
        let left = self.scratch.path + "/apps/.com.example.Test.new"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        _ = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    @Test func aChangeOfTheFilesIsSeenWithoutARestart() throws {
        let path = try self.scratch.makeBundle()
        var store = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        let id = try store.install(path: path, approving: ["aps-environment"], capabilities: []).bundle.id
        var changed = store.filesChanged(of: id)
        #expect(!changed)
        let info = try #require(store.apps[id]).bundle.path + "/Info.plist"
        let right = try Data(contentsOf: URL(fileURLWithPath: info))
        try (right + Data("\n".utf8)).write(to: URL(fileURLWithPath: info))
        changed = store.filesChanged(of: id)
        #expect(changed)
        #expect(store.apps[id]?.isIntact == false && store.apps[id]?.approved.isEmpty == true)
        changed = store.filesChanged(of: id)
        #expect(!changed)
        try FileManager.default.removeItem(atPath: info)
        changed = store.filesChanged(of: id)
        #expect(!changed)
        #expect(store.apps[id]?.isIntact == false)
        // Installing the app again repairs the damaged files.
        _ = try store.install(path: path, approving: ["aps-environment"], capabilities: [])
        #expect(store.apps[id]?.isIntact == true && store.apps[id]?.approved == ["aps-environment"])
    }

    /// The app's files stay, the owner is notified, and the app can be installed again.
    @Test(arguments: ["", "{}", "absent"]) func anAppWhoseRecordCannotBeReadIsNamed(_ text: String) throws {
        let place = self.scratch.path + "/apps"
        var store = try BundleStore(directory: place, seal: .ofTests)
        let path = try self.scratch.makeBundle()
        let id = try store.install(path: path, approving: [], capabilities: []).bundle.id
        let record = "\(place)/\(id)/record.sealed"
        try FileManager.default.removeItem(atPath: record)
        if text != "absent" { try Data(text.utf8).write(to: URL(fileURLWithPath: record)) }
        try FileManager.default.createDirectory(atPath: place + "/lost+found", withIntermediateDirectories: true)
        var again = try BundleStore(directory: place, seal: .ofTests)
        #expect(again.apps.isEmpty && Array(again.broken.keys) == [id])
        #expect(again.broken[id]?.description.contains(record) == true)
        #expect(FileManager.default.fileExists(atPath: "\(place)/\(id)/Test.app/Test"))
        _ = try again.install(path: path, approving: [], capabilities: [])
        #expect(again.apps[id]?.isIntact == true && again.broken.isEmpty)
    }

    @Test(arguments: ["link", "pipe"]) func whatIsNoFileIsNotInstalled(_ kind: String) throws {
        let path = try self.scratch.makeBundle()
        if kind == "link" {
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "/etc/hostname")
        } else {
            #expect(unsafe mkfifo(path + "/pipe", 0o600) == 0)
        }
        var store = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        let error = try #require(throws: DaemonError.self) {
            try store.install(path: path, approving: [], capabilities: [])
        }
        #expect(error.description.contains("Test.app/\(kind)"))
    }

    /// Goal: a link to a bundle installs that bundle; an error about a broken link names the path as given.
    @Test func aLinkToABundleIsTheBundle() throws {
        let path = try self.scratch.makeBundle()
        let links = ["right", "wrong"].map { "\(self.scratch.path)/\($0).app" }
        try FileManager.default.createSymbolicLink(atPath: links[0], withDestinationPath: path)
        try FileManager.default.createSymbolicLink(atPath: links[1], withDestinationPath: "nowhere")
        var store = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        let installed = try store.install(path: links[0], approving: [], capabilities: [])
        #expect(installed.bundle.id == BundleID("com.example.Test") && installed.isIntact)
        let error = try #require(throws: DaemonError.self) {
            try store.install(path: links[1], approving: [], capabilities: [])
        }
        #expect(error.description.contains(links[1]))
    }

    /// Goal: every user can install a bundle that another user owns and they may read.
    ///
    /// Method: only root can change owners, so the test changes modes. No attribute of the files is copied.
    @Test func copyIsTheInstallersOwn() throws {
        let path = try self.scratch.makeBundle()
        let executable = try AppBundle(path: path).executable
        let name = String(executable.dropFirst(path.count + 1))
        try FileManager.default.setAttributes([.posixPermissions: 0o4551], ofItemAtPath: executable)
        try FileManager.default.setAttributes([.posixPermissions: 0o466], ofItemAtPath: path + "/Info.plist")
        let contents = try BundleContents(of: path)
        let copy = self.scratch.path + "/Copy.app"
        try BundleCopy.copy(HeldDirectory(path: path), at: path, to: copy)
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: copy + "/" + name)[.posixPermissions] as? Int
        }
        #expect(try mode(name) == 0o755)
        #expect(try mode("Info.plist") == 0o644)
        #expect(try BundleContents(of: copy).hashes() == contents.hashes())
    }

    /// Goal: a process of an earlier version is distinguished from a foreign process, and from the installed app.
    @Test func processOfAnEarlierVersionIsKnown() throws {
        let place = self.scratch.path + "/apps"
        let store = try BundleStore(directory: place, seal: .ofTests)
        let copied = place + "/sleeper"
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: copied)
        func record(_ path: String) throws -> (Process, ProcessLedger.Record) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = ["60"]
            try process.run()
            let identity = try #require(ProcessIdentity(pid: process.processIdentifier))
            return (process, .init(bundle: "com.example.Test", process: identity, cgroup: nil, isForeground: false))
        }
        let (old, left) = try record(copied)
        let (other, stranger) = try record("/bin/sleep")
        defer {
            old.terminate()
            other.terminate()
        }
        try FileManager.default.removeItem(atPath: copied)
        #expect(store.isLeftBehind(left))
        #expect(!store.isLeftBehind(stranger))
    }

    @Test func whatIsNotAskedForCannotBeApproved() throws {
        let path = try self.scratch.makeBundle()
        var store = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        #expect(throws: DaemonError.self) {
            try store.install(path: path, approving: ["com.example.root"], capabilities: [])
        }
        #expect(store.apps.isEmpty)
    }

    /// Apple installs such an app, and its requests fail at once.
    ///
    /// So does locationd, but it warns the person who installs it.
    @Test(arguments: ["NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"])
    func aMissingUsageStringIsAWarning(_ key: String) throws {
        let bundle = try AppBundle(path: self.scratch.makeBundle(removing: [key]))
        #expect(bundle.warnings.count == 1)
        #expect(try #require(bundle.warnings.first).contains(key))
        let manifest = bundle.manifest(approved: [])
        #expect(manifest.explainsWhenInUse == (key != "NSLocationWhenInUseUsageDescription"))
        #expect(manifest.explainsAlways == (key == "NSLocationWhenInUseUsageDescription"))
        #expect(try AppBundle(path: self.scratch.makeBundle()).warnings.isEmpty)
    }

    @Test func whatTheAppMayIsRead() throws {
        let bundle = try AppBundle(
            path: self.scratch.makeBundle(adding: [
                "UIBackgroundModes": ["audio", "location"],
                "NSLocationTemporaryUsageDescriptionDictionary": ["Navigate": "why", "Meet": "why"],
                "NSLocationDefaultAccuracyReduced": true,
                "NSLocationRequireExplicitServiceSession": true,
            ])
        )
        let manifest = bundle.manifest(approved: [])
        #expect(manifest.mayRunInBackground && manifest.defaultsToReducedAccuracy)
        #expect(manifest.requiresExplicitSessions)
        #expect(manifest.purposes == ["Meet", "Navigate"])
        let plain = try AppBundle(path: self.scratch.makeBundle()).manifest(approved: [])
        #expect(!plain.mayRunInBackground && !plain.defaultsToReducedAccuracy && plain.purposes.isEmpty)
        #expect(!plain.requiresExplicitSessions)
        let other = try AppBundle(path: self.scratch.makeBundle(adding: ["CLRequireExplicitServiceSession": true]))
        #expect(other.manifest(approved: []).requiresExplicitSessions)
    }

    @Test(arguments: [
        "UIBackgroundModes", "NSLocationTemporaryUsageDescriptionDictionary", "UIRequiredDeviceCapabilities",
    ])
    func whatHasTheWrongFormIsNamed(_ key: String) throws {
        let path = try self.scratch.makeBundle(adding: [key: "location"])
        #expect(try #require(throws: DaemonError.self) { try AppBundle(path: path) }.description.contains(key))
    }

    @Test func anAppThatNeedsWhatTheDeviceLacksIsNotInstalled() throws {
        let has: Set<String> = ["location-services", "gps"]
        var store = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        func install(_ wanted: Any) throws {
            let path = try self.scratch.makeBundle(adding: ["UIRequiredDeviceCapabilities": wanted])
            _ = try store.install(path: path, approving: [], capabilities: has)
        }
        let error = try #require(throws: DaemonError.self) { try install(["gps", "magnetometer"]) }
        #expect(error.description.contains("magnetometer") && error.description.contains("location-services"))
        #expect(try #require(throws: DaemonError.self) { try install(["gps": false]) }.description.contains("excludes"))
        #expect(store.apps.isEmpty)
        try install(["location-services", "gps"])
        try install(["gps": true, "magnetometer": false])
        #expect(store.apps.count == 1)
    }

    @Test func extensionsThatCannotBeToldApartAreRefused() throws {
        let path = try self.scratch.makeBundle()
        let plugIns = path + "/PlugIns"
        try FileManager.default.copyItem(atPath: plugIns + "/Push.appex", toPath: plugIns + "/Other.appex")
        let twice = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(twice.description.contains("com.example.Test.Push") && twice.description.contains("Other.appex"))
        try self.scratch.write(
            [
                "CFBundleIdentifier": "com.example.Test.Other", "CFBundleExecutable": "Push",
                "NSExtension": ["NSExtensionPointIdentifier": "com.apple.location.push.service"],
            ],
            to: "Test.app/PlugIns/Other.appex/Info.plist"
        )
        let two = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(two.description.contains("Push.appex") && two.description.contains("Other.appex"))
    }

    @Test func anExtensionForSomethingElseIsNamed() throws {
        let path = try self.scratch.makeBundle()
        try self.scratch.write(
            [
                "CFBundleIdentifier": "com.example.Test.Push", "CFBundleExecutable": "Push",
                "NSExtension": ["NSExtensionPointIdentifier": "com.apple.widgetkit-extension"],
            ],
            to: "Test.app/PlugIns/Push.appex/Info.plist"
        )
        let bundle = try AppBundle(path: path)
        #expect(bundle.pushExtension == nil)
        #expect(try #require(bundle.warnings.first).contains("com.apple.widgetkit-extension"))
    }
}

extension BundleStore {
    /// Installs bundles one after the other.
    mutating func install(
        path: String,
        approving approved: Set<String>,
        capabilities: Set<String>
    ) throws -> Installed {
        let staging = self.staging(1)
        defer { try? FileManager.default.removeItem(atPath: staging) }
        return try self.install(
            Self.copy(path, to: staging, approving: approved, capabilities: capabilities, seal: .ofTests)
        )
    }
}
