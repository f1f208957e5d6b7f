internal import Crypto
internal import Foundation
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Goal: the engine's saved state is sealed, is never lost, and a forged state is detected.
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

    private func save(_ seal: StateSeal? = nil) throws {
        var store = self.store(seal)
        _ = try? store.load(now: self.now)
        try store.save(self.snapshot, now: self.now)
    }

    private func load(
        _ seal: StateSeal? = nil,
        now: Now? = nil
    ) throws(DaemonError) -> (snapshot: EngineSnapshot, elapsed: Duration)? {
        var store = self.store(seal)
        return try store.load(now: now ?? self.now)
    }

    private var snapshot: EngineSnapshot {
        var engine = Engine(policy: Policy(), now: self.now)
        _ = try? engine.handle(.sensed(.ready(.receiver)), now: self.now)
        return engine.snapshot(now: self.now.monotonic)
    }

    @Test func theSnapshotComesBackWithTheTimeSince() throws {
        #expect(try self.load() == nil)
        try self.save()
        let later = Now(monotonic: self.now.monotonic.advanced(by: .seconds(7)), wall: self.now.wall)
        let loaded = try #require(try self.load(now: later))
        #expect(loaded.snapshot == self.snapshot)
        #expect(loaded.elapsed == .seconds(7))
    }

    @Test func nothingOfItCanBeReadOnDisk() throws {
        try self.save()
        let bytes = try #require(FileManager.default.contents(atPath: self.store().path))
        #expect(StateSeal.isSealed(bytes))
        #expect(bytes.range(of: Data("version".utf8)) == nil)
    }

    /// Goal: the error for a state of another version names both versions, and the file stays unchanged.
    @Test(arguments: [3, 5, 0]) func anotherVersionIsRefused(_ version: Int) throws {
        let store = self.store()
        let sealed = try self.seal().seal(Data(#"{"engine":{"version":\#(version)}}"#.utf8), for: "engine")
        try sealed.write(to: URL(filePath: store.path))
        let words = try #require(throws: DaemonError.self) { try self.load() }.description
        #expect(words.contains("version \(version)") && words.contains("version 4 only"), "\(words)")
        #expect(FileManager.default.contents(atPath: store.path) == sealed)
    }

    @Test func anotherKeyIsToldFromDamageAndNothingIsLost() throws {
        try self.save()
        let before = FileManager.default.contents(atPath: self.store().path)
        let error = try #require(throws: DaemonError.self) { try self.load(self.seal(2)) }
        #expect(error.description.contains("another key") && error.description.contains("key 2"))
        #expect(FileManager.default.contents(atPath: self.store().path) == before)
    }

    /// Goal: for a truncated file, the error does not name a missing key, and its remedy leads to no second error.
    @Test(arguments: [0, 10, 25, 40]) func theRemedyOfDamageWorks(_ length: Int) throws {
        try self.save()
        let store = self.store()
        let place = URL(fileURLWithPath: store.path)
        try Data(contentsOf: place).prefix(length).write(to: place)
        let words = try #require(throws: DaemonError.self) { try self.load() }.description
        #expect(words.contains("is damaged") && !words.contains("another key"), "\(words)")
        #expect(words.contains("move both \(store.path) and \(store.numberPath) away"), "\(words)")
        for path in [store.path, store.numberPath] { try FileManager.default.removeItem(atPath: path) }
        #expect(try self.load() == nil)
        try self.save()
        #expect(try self.load()?.snapshot == self.snapshot)
    }

    /// Every byte is protected: the header, the key's name, the nonce, the ciphertext, the tag.
    @Test func noDamagedFileIsTaken() throws {
        try self.save()
        let place = URL(fileURLWithPath: self.store().path)
        let right = try Data(contentsOf: place)
        for offset in stride(from: 0, to: right.count, by: 3) {
            var wrong = right
            wrong[offset] ^= 1
            try wrong.write(to: place)
            #expect(throws: DaemonError.self) { try self.load() }
        }
        for length in [0, 10, 25, 40, right.count - 1] {
            try right.prefix(length).write(to: place)
            #expect(throws: DaemonError.self) { try self.load() }
        }
        try right.write(to: place)
        #expect(try self.load()?.snapshot == self.snapshot)
    }

    @Test func oneSealedFileCannotStandInForAnother() throws {
        let sealed = try self.seal().seal(Data("{}".utf8), for: "processes")
        #expect(throws: DaemonError.self) { try self.seal().open(sealed, for: "engine", at: "x") }
        #expect(try self.seal().open(sealed, for: "processes", at: "x") == Data("{}".utf8))
    }

    @Test func aCredentialIsPreferredAndWhatTheDeviceKeySealedStaysReadable() throws {
        let keyPath = self.scratch.path + "/device.key"
        let key = try DeviceKeyFile.load(path: keyPath)
        let without = StateSeal(deviceKey: key, at: keyPath, credential: nil)
        #expect(try StateSeal.credential(in: self.scratch.path) == nil)
        try self.save(without)
        let path = self.scratch.path + "/" + StateSeal.credentialName
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: path))
        let credential = try StateSeal.credential(in: self.scratch.path)
        let with = StateSeal(deviceKey: key, at: keyPath, credential: credential)
        #expect(try self.load(with)?.snapshot == self.snapshot)
        try self.save(with)
        #expect(throws: DaemonError.self) { try self.load(without) }
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: DaemonError.self) { _ = try StateSeal.credential(in: self.scratch.path) }
        #expect(error.description.contains(path) && error.description.contains("32"))
    }

    @Test func aDeviceKeyIsSealedByTheCredentialAsSoonAsThereIsOne() throws {
        let path = self.scratch.path + "/device.key"
        let key = try DeviceKeyFile.load(path: path).rawRepresentation
        #expect(FileManager.default.contents(atPath: path) == key)
        let credential = (origin: "the credential", bytes: Data(repeating: 7, count: 32))
        for _ in 0..<2 {
            #expect(try DeviceKeyFile.load(path: path, credential: credential).rawRepresentation == key)
            #expect(FileManager.default.contents(atPath: path)?.range(of: key) == nil)
        }
        let error = try #require(throws: DaemonError.self) { _ = try DeviceKeyFile.load(path: path) }
        #expect(error.description.contains(StateSeal.credentialName))
    }

    /// Yesterday's "Always" replaces today's "Never".
    @Test func anOlderSnapshotIsNotTaken() throws {
        try self.save()
        let place = URL(fileURLWithPath: self.store().path)
        let number = URL(fileURLWithPath: self.store().numberPath)
        let (old, oldNumber) = (try Data(contentsOf: place), try Data(contentsOf: number))
        try self.save()
        let newNumber = try Data(contentsOf: number)
        try old.write(to: place)
        let error = try #require(throws: DaemonError.self) { _ = try self.load() }
        #expect(error.description.contains("older") && error.description.contains(self.store().numberPath))
        try FileManager.default.removeItem(at: place)
        #expect(throws: DaemonError.self) { _ = try self.load() }
        // A crash happened between writing a snapshot and its number.
        try old.write(to: place)
        try newNumber.write(to: number)
        #expect(throws: DaemonError.self) { _ = try self.load() }
        try oldNumber.write(to: number)
        #expect(try self.load() != nil)
        try self.save()
        try oldNumber.write(to: number)
        #expect(try self.load() != nil)
    }

    @Test func aDeviceKeyThatOthersMayReadOrThatIsNoneIsRefused() throws {
        let path = self.scratch.path + "/device.key"
        _ = try DeviceKeyFile.load(path: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let refusal = try #require(throws: DaemonError.self) { try DeviceKeyFile.load(path: path) }
        #expect(refusal.description.contains(path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data([1]).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let error = try #require(throws: DaemonError.self) { try DeviceKeyFile.load(path: path) }
        // Everything that the next start without the key would refuse; no credential opens it.
        let store = self.store()
        for file in [path, store.path, store.numberPath] { #expect(error.description.contains(file)) }
        #expect(error.description.contains("install all apps again"))
        let credential = (origin: "the credential", bytes: Data(repeating: 7, count: 32))
        let sealed = try #require(throws: DaemonError.self) {
            try DeviceKeyFile.load(path: path, credential: credential)
        }
        #expect(!sealed.description.contains(store.path))
    }

    /// Goal: following the remedy for a damaged key leads to a working start.
    @Test func theRemedyOfADamagedKeyHelps() throws {
        let path = self.scratch.path + "/device.key"
        func store() throws -> SnapshotStore {
            SnapshotStore(
                directory: self.scratch.path,
                seal: StateSeal(deviceKey: try DeviceKeyFile.load(path: path), at: path, credential: nil)
            )
        }
        var before = try store()
        try before.save(self.snapshot, now: self.now)
        for file in [path, before.path, before.numberPath] { try FileManager.default.removeItem(atPath: file) }
        var after = try store()
        let loaded = try after.load(now: self.now)
        #expect(loaded == nil)
    }
}
