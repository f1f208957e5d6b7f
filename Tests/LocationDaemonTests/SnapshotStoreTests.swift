internal import Foundation
internal import LocationEngine
internal import Testing
internal import Vocabulary

@testable internal import LocationDaemon

/// The engine's state at rest: sealed, never lost, and told apart from what somebody else wrote.
@Suite struct SnapshotStoreTests {
    private let scratch: Scratch
    private let now = Clocks.now()

    init() throws {
        self.scratch = try Scratch()
    }

    private func seal(_ byte: UInt8 = 1) -> StateSeal {
        StateSeal(secrets: [("key \(byte)", Data(repeating: byte, count: 32))])
    }

    private func store(_ seal: StateSeal? = nil) -> SnapshotStore {
        SnapshotStore(directory: self.scratch.path, seal: seal ?? self.seal())
    }

    private var snapshot: EngineSnapshot {
        var engine = Engine(policy: Policy(), now: self.now)
        _ = try? engine.handle(.sensed(.ready(.receiver)), now: self.now)
        return engine.snapshot(now: self.now.monotonic)
    }

    @Test func theSnapshotComesBackWithTheTimeSince() throws {
        #expect(try self.store().load(now: self.now) == nil)
        try self.store().save(self.snapshot, now: self.now)
        let later = Now(monotonic: self.now.monotonic.advanced(by: .seconds(7)), wall: self.now.wall)
        let loaded = try #require(try self.store().load(now: later))
        #expect(loaded.snapshot == self.snapshot)
        #expect(loaded.elapsed == .seconds(7))
    }

    @Test func nothingOfItCanBeReadOnDisk() throws {
        try self.store().save(self.snapshot, now: self.now)
        let bytes = try #require(FileManager.default.contents(atPath: self.store().path))
        #expect(StateSeal.isSealed(bytes))
        #expect(bytes.range(of: Data("version".utf8)) == nil)
    }

    @Test func aPlainSnapshotOfAnEarlierVersionIsReadOnceAndSealed() throws {
        try self.store().save(self.snapshot, now: self.now)
        let sealed = try #require(FileManager.default.contents(atPath: self.store().path))
        let plain = try self.seal().open(sealed, for: "engine", at: "")
        try plain.write(to: URL(fileURLWithPath: self.store().plainPath))
        try FileManager.default.removeItem(atPath: self.store().path)
        #expect(try self.store().load(now: self.now)?.snapshot == self.snapshot)
        #expect(!FileManager.default.fileExists(atPath: self.store().plainPath))
        #expect(try self.store().load(now: self.now)?.snapshot == self.snapshot)
    }

    @Test(arguments: ["{}", "", "\u{0}"]) func aPlainSnapshotThatCannotBeReadIsNamedAndKept(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.store().plainPath))
        let error = try #require(throws: DaemonError.self) { try self.store().load(now: self.now) }
        #expect(error.description.contains(self.store().plainPath))
        #expect(FileManager.default.contents(atPath: self.store().plainPath) == Data(text.utf8))
    }

    @Test func anotherKeyIsToldFromDamageAndNothingIsLost() throws {
        try self.store().save(self.snapshot, now: self.now)
        let before = FileManager.default.contents(atPath: self.store().path)
        let error = try #require(throws: DaemonError.self) { try self.store(self.seal(2)).load(now: self.now) }
        #expect(error.description.contains("another key") && error.description.contains("key 2"))
        #expect(FileManager.default.contents(atPath: self.store().path) == before)
    }

    /// Every byte counts: the header, the key's name, the nonce, the ciphertext, the tag.
    @Test func noDamagedFileIsTaken() throws {
        try self.store().save(self.snapshot, now: self.now)
        let place = URL(fileURLWithPath: self.store().path)
        let right = try Data(contentsOf: place)
        for offset in stride(from: 0, to: right.count, by: 3) {
            var wrong = right
            wrong[offset] ^= 1
            try wrong.write(to: place)
            #expect(throws: DaemonError.self) { try self.store().load(now: self.now) }
        }
        for length in [0, 10, 25, 40, right.count - 1] {
            try right.prefix(length).write(to: place)
            #expect(throws: DaemonError.self) { try self.store().load(now: self.now) }
        }
        try right.write(to: place)
        #expect(try self.store().load(now: self.now)?.snapshot == self.snapshot)
    }

    @Test func oneSealedFileCannotStandInForAnother() throws {
        let sealed = try self.seal().seal(Data("{}".utf8), for: "processes")
        #expect(throws: DaemonError.self) { try self.seal().open(sealed, for: "engine", at: "x") }
        #expect(try self.seal().open(sealed, for: "processes", at: "x") == Data("{}".utf8))
    }

    @Test func aCredentialIsPreferredAndWhatTheDeviceKeySealedStaysReadable() throws {
        let keyPath = self.scratch.path + "/device.key"
        let key = try DeviceKey.load(path: keyPath)
        let without = try StateSeal(deviceKey: key, at: keyPath, credentials: self.scratch.path)
        try self.store(without).save(self.snapshot, now: self.now)
        let credential = self.scratch.path + "/" + StateSeal.credentialName
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: credential))
        let with = try StateSeal(deviceKey: key, at: keyPath, credentials: self.scratch.path)
        #expect(try self.store(with).load(now: self.now)?.snapshot == self.snapshot)
        try self.store(with).save(self.snapshot, now: self.now)
        #expect(throws: DaemonError.self) { try self.store(without).load(now: self.now) }
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: credential))
        let error = try #require(throws: DaemonError.self) {
            try StateSeal(deviceKey: key, at: keyPath, credentials: self.scratch.path)
        }
        #expect(error.description.contains(credential) && error.description.contains("32"))
    }

    @Test func aDeviceKeyThatOthersMayReadOrThatIsNoneIsRefused() throws {
        let path = self.scratch.path + "/device.key"
        _ = try DeviceKey.load(path: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try #require(throws: DaemonError.self) { try DeviceKey.load(path: path) }.description.contains(path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data([1]).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(throws: DaemonError.self) { try DeviceKey.load(path: path) }
    }
}
