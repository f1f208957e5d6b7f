internal import Crypto
internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Goal: neither the state directory nor the process contains secrets in clear.
@Suite(.offPool, .timeLimit(.minutes(1))) struct AtRestTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    private static let approved: Set<String> = [Entitlement.push, Entitlement.pushEnvironment]
    private static let app = BundleID("com.example.Test")

    private func store(_ seal: StateSeal = .ofTests) throws -> BundleStore {
        try BundleStore(directory: self.scratch.path + "/apps", seal: seal)
    }

    /// Files that are rejected: another app's approvals, a forged record, another device's record.
    @Test func approvalsThatThisDeviceDidNotSealAreNone() throws {
        var store = try self.store()
        _ = try store.install(path: self.scratch.makeBundle(), approving: Self.approved, capabilities: [])
        #expect(try self.store().apps[Self.app]?.approved == Self.approved)
        let other = StateSeal(secrets: [("another key", Data(repeating: 2, count: 32))])
        #expect(try self.store(other).apps.isEmpty && self.store(other).broken[Self.app] != nil)
        let record = URL(fileURLWithPath: "\(self.scratch.path)/apps/\(Self.app)/record.sealed")
        let right = try Data(contentsOf: record)
        let plain = try StateSeal.ofTests.open(right, for: "record of \(Self.app)", at: "")
        for wrong in [plain, try StateSeal.ofTests.seal(plain, for: "record of com.example.Other")] {
            try wrong.write(to: record)
            #expect(try self.store().broken[Self.app]?.description.contains("record.sealed") == true)
        }
        try right.write(to: record)
        #expect(try self.store().apps[Self.app]?.approved == Self.approved)
    }

    @Test(arguments: ["Frameworks/libHelper.so", "de.lproj/InfoPlist.strings", "maps/tile.bin"])
    func approvalIsForEveryFileOfABundle(_ name: String) throws {
        let path = try self.scratch.makeBundle()
        let place = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (place as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data("one".utf8).write(to: URL(fileURLWithPath: place))
        var store = try self.store()
        let installed = try store.install(path: path, approving: Self.approved, capabilities: [])
        let own = installed.bundle.path + "/" + name
        try Data("two".utf8).write(to: URL(fileURLWithPath: own))
        let hasChanged = store.filesChanged(of: Self.app)
        #expect(hasChanged && store.apps[Self.app]?.isIntact == false)
        try Data("one".utf8).write(to: URL(fileURLWithPath: own))
        #expect(try self.store().apps[Self.app]?.isIntact == true)
        // An additional file is a change, too.
        try Data().write(to: URL(fileURLWithPath: own + ".more"))
        #expect(try self.store().apps[Self.app]?.isIntact == false)
    }

    @Test func aFileThatCannotBeReadForAWhileUndoesNoApproval() throws {
        var store = try self.store()
        let path = try store.install(path: self.scratch.makeBundle(), approving: Self.approved, capabilities: [])
            .bundle.path
        let info = path + "/Info.plist"
        try FileManager.default.moveItem(atPath: info, toPath: info + ".away")
        var hasChanged = store.filesChanged(of: Self.app)
        #expect(!hasChanged && store.apps[Self.app]?.isIntact == false)
        #expect(store.apps[Self.app]?.approved == Self.approved)
        try FileManager.default.moveItem(atPath: info + ".away", toPath: info)
        hasChanged = store.filesChanged(of: Self.app)
        #expect(!hasChanged && store.apps[Self.app]?.isIntact == true)
    }

    @Test(arguments: ["Settings\u{202E}gnp.", "two\\nlines"]) func aTranslatedNameThatActsIsRefused(
        _ name: String
    ) throws {
        let path = try self.scratch.makeBundle()
        try FileManager.default.createDirectory(atPath: path + "/de.lproj", withIntermediateDirectories: true)
        try Data("CFBundleName = \"\(name)\";".utf8)
            .write(to: URL(fileURLWithPath: path + "/de.lproj/InfoPlist.strings"))
        let error = try #require(throws: DaemonError.self) { try AppBundle(path: path) }
        #expect(error.description.contains("de.lproj"))
    }

    /// The region in which an app was written does not lead out of its bundle.
    @Test func aRegionIsNoPath() throws {
        let other = self.scratch.path + "/other.lproj"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try Data("CFBundleName = Other;".utf8).write(to: URL(fileURLWithPath: other + "/InfoPlist.strings"))
        let path = try self.scratch.makeBundle(adding: [
            "CFBundleDevelopmentRegion": "../other", "CFBundleName": "Own",
        ])
        #expect(try AppBundle(path: path).texts(in: []).name == "Own")
    }

    /// "Deny" survives two starts at which the bundle could not be read.
    @Test func aDenialOutlivesABundleThatCannotBeRead() async throws {
        try await self.withDaemon { rig in
            try rig.install()
            _ = try rig.ask(
                .with {
                    $0.settings.bundle = DaemonRig.bundle.rawValue
                    $0.settings.location = .never
                }
            )
        }
        let info = "\(self.scratch.path)/state/apps/\(DaemonRig.bundle)/Test.app/Info.plist"
        try FileManager.default.moveItem(atPath: info, toPath: self.scratch.path + "/away")
        for isOn in [false, true] {
            try await self.withDaemon { rig in
                #expect(try rig.status.broken.map(\.bundle) == [DaemonRig.bundle.rawValue])
                _ = try rig.ask(.with { $0.settings.locationServices = isOn })
            }
        }
        try FileManager.default.moveItem(atPath: self.scratch.path + "/away", toPath: info)
        try await self.withDaemon { rig in
            let settings = try rig.ask(.with { $0.settings = .init() }).settings
            #expect(settings.apps.first?.location == .never)
        }
    }

    /// Waits until the earlier daemon's lock is free.
    ///
    /// A program that another test starts at this moment inherits all descriptors of this process, including the lock,
    /// until its `exec`.
    private func waitForTheLock() throws {
        let path = self.scratch.path + "/state/lock"
        guard FileManager.default.fileExists(atPath: path) else { return }
        let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
        let file = ":\(try #require(number)) "
        #expect(
            try Waiting.until(within: 5) {
                try !String(contentsOfFile: "/proc/locks", encoding: .utf8).contains(file)
            }
        )
    }

    /// One run of a daemon; the next one loads its state.
    private func withDaemon(_ body: (DaemonRig) throws -> Void) async throws {
        try self.waitForTheLock()
        let rig = try await DaemonRig(scratch: self.scratch)
        try body(rig)
        await rig.daemon.stop()
    }

    /// The files, arguments and environment of a real locationd and its app.
    ///
    /// The key is sealed by a credential.
    @Test(.enabled(if: geteuid() == 0, "skipped: locationd hides its environment from its own user"))
    func noSecretLiesInFilesArgumentsOrEnvironments() throws {
        let credentials = self.scratch.path + "/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        let secret = Data((0..<32).map { 0xA0 ^ ($0 &* 7) })
        try secret.write(to: URL(fileURLWithPath: credentials + "/" + StateSeal.credentialName))
        let state = self.scratch.path + "/state"
        let child = try self.scratch.startLocationd(environment: ["CREDENTIALS_DIRECTORY": credentials])
        let key = try DeviceKeyFile.load(path: state + "/device.key", credential: ("", secret)).rawRepresentation
        let limits = try String(contentsOfFile: "/proc/\(child.pid)/limits", encoding: .utf8)
        #expect(limits.contains(/Max core file size +0 +0\b/), "\(limits)")
        var seen = try ["cmdline", "environ"].map { try Self.bytes(of: "/proc/\(child.pid)/\($0)") }
        let files = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        #expect(files.contains("device.key"))
        for name in files {
            if let bytes = FileManager.default.contents(atPath: state + "/" + name) { seen.append(bytes) }
        }
        seen.append(try Self.bytes(of: self.scratch.path + "/locationd.log"))
        for secret in [secret, key] {
            let hex = Data(Hex.text(of: Array(secret)).utf8)
            for form in [secret, hex, secret.base64EncodedData()] {
                #expect(seen.allSatisfy { $0.range(of: form) == nil })
            }
        }
        child.terminate()
    }

    private static func bytes(of path: String) throws -> Data {
        // Files of /proc have no size to read by.
        try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data()
    }
}
