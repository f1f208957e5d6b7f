internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for a profile that was backed up, and for its restoration with another key.
struct BackupTests {
    private static let passphrase = "correct horse battery staple"
    private let directory: TemporaryDirectory
    private let pair: Pair

    init() throws {
        self.directory = try TemporaryDirectory()
        self.pair = try Pair()
    }

    private func path(_ name: String) -> String { "\(self.directory.path)/\(name)" }

    private func restore(_ backup: [UInt8], _ name: String = "new", passphrase: String? = nil) throws -> SharingProfile
    {
        try SharingProfile.restore(backup, passphrase: passphrase ?? Self.passphrase, path: self.path(name))
    }

    @Test func aHomeIsRestoredWhole() async throws {
        let authority = self.path("ca.pem")
        try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: URL(fileURLWithPath: authority))
        let settings = try ServerSettings(server: "https://localhost:1", trustRoots: authority)
        let profile = try SharingProfile.openOrCreate(path: self.path("old"), settings: settings)
        let sharer = try Sharer(profile: self.directory.profile("signer"))
        let friend = self.pair.requester.publicIdentity
        try profile.call(friend, "Bob")
        let grant = try sharer.approve(requester: profile.identity.publicIdentity, precision: .full, for: .seconds(60))
        try profile.keep(grant)
        let request = try self.pair.request(suite: .x25519, publicKey: []).value
        #expect(
            try profile.records().answered(
                request,
                [1],
                saying: .refusal(.notConsented),
                policy: SharingPolicy(),
                now: .now
            )
                == .answer
        )
        let backup = try profile.backup(passphrase: Self.passphrase, cost: 10)
        let restored = try self.restore(backup, "far/away/new")
        #expect(restored.identity.publicIdentity == profile.identity.publicIdentity)
        #expect(restored.settings.server == profile.settings.server)
        let trusted = try #require(restored.settings.trustRoots)
        #expect(trusted.hasPrefix(restored.path))
        #expect(FileManager.default.contents(atPath: trusted) == FileManager.default.contents(atPath: authority))
        #expect(try restored.received() == [grant] && restored.name(of: friend) == "Bob")
        let journal = try restored.journal()
        #expect(journal.fault == nil && journal.lines.count == 1)
        #expect(try restored.records().received(request, policy: SharingPolicy(), now: .now) == .deliver([1]))
        let mode = try FileManager.default.attributesOfItem(atPath: restored.path + "/identity.key")
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test func whatWasRevokedStaysRevoked() async throws {
        let sharer = try Sharer(profile: self.directory.profile("old"))
        let requester = self.pair.requester.publicIdentity
        let grant = try sharer.approve(requester: requester, precision: .full, for: .seconds(60))
        await #expect(throws: SharingError(.network, "")) { try await sharer.revoke(grant) }
        let restored = try self.restore(sharer.profile.backup(passphrase: Self.passphrase, cost: 10))
        #expect(try restored.grants() == [grant] && restored.isRevoked(grant.value.id))
    }

    @Test func onlyThePassphraseOpensABackup() throws {
        let backup = try self.directory.profile("old").backup(passphrase: Self.passphrase, cost: 10)
        #expect(throws: SharingError(.cannotOpen, "")) {
            try self.restore(backup, passphrase: "correct horse battery stapler")
        }
        // The magic, its version, the salt, the nonce, the text, the tag.
        for place in [0, 20, 30, 45, 60, backup.count - 1] {
            var changed = backup
            changed[place] ^= 1
            #expect(throws: SharingError.self) { try self.restore(changed) }
        }
        // A cost parameter that would use all memory is refused.
        var dear = backup
        dear["whereabouts/backup/v1".utf8.count + 1] = 40
        for bytes in [dear, [], Array(backup.prefix(30))] {
            #expect(throws: SharingError(.badBytes, "")) { try self.restore(bytes) }
        }
        #expect(throws: SharingError(.badText, "")) { try self.directory.profile("old").backup(passphrase: "short") }
        // As it is sealed for people.
        #expect(backup["whereabouts/backup/v1".utf8.count + 1] == 10 && Backup.cost == 17)
        #expect(!FileManager.default.fileExists(atPath: self.path("new")))
        #expect(!FileManager.default.fileExists(atPath: self.path("new.new")))
    }

    /// Goal: the words open the backup even if the system encodes their letters in another way.
    @Test func aPassphraseIsNormalized() throws {
        let backup = try self.directory.profile("old").backup(passphrase: "\u{E9}t\u{E9} en Bretagne", cost: 10)
        let restored = try self.restore(backup, passphrase: "e\u{301}te\u{301} en Bretagne")
        #expect(restored.path.hasSuffix("new"))
    }

    /// Goal: an older backup does not undo later revocations.
    @Test func aHomeThatIsThereIsNotReplaced() throws {
        let profile = try self.directory.profile("old")
        let backup = try profile.backup(passphrase: Self.passphrase, cost: 10)
        #expect(throws: SharingError(.badProfile, "")) { try self.restore(backup, "old") }
        #expect(try SharingProfile(path: profile.path).identity.publicIdentity == profile.identity.publicIdentity)
    }

    /// Goal: a backup with manipulated paths writes nothing.
    @Test(arguments: ["../evil", "/tmp/evil", "grants/../../evil", "grants/x", "received/00", "other", ""])
    func aFileThatIsNotAHomesIsRefused(_ name: String) throws {
        let backup = try Backup.seal([(name, [1])], passphrase: Self.passphrase, cost: 10)
        #expect(throws: SharingError(.badBytes, "")) { try self.restore(backup) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.directory.path).isEmpty)
    }

    /// Goal: a person who lost a phone gets a new key, and friends lose only the old grant.
    @Test func anotherKeyTakesOver() async throws {
        let old = try Sharer(profile: self.directory.profile("old"))
        let new = try Sharer(profile: self.directory.profile("other"))
        let (bob, eve) = (self.pair.requester.publicIdentity, self.pair.sharer.publicIdentity)
        try old.profile.call(bob, "Bob")
        let grant = try old.approve(
            requester: bob,
            precision: .reduced,
            for: .seconds(6000),
            atMostEvery: .seconds(60),
            limits: GrantLimits(hours: Pair.hours, usesMax: 3, asksPerson: true)
        )
        let taken = try old.approve(requester: eve, precision: .full, for: .seconds(6000))
        let revocation = "\(old.profile.path)/revocations/\(taken.value.id)"
        #expect(FileManager.default.createFile(atPath: revocation, contents: Data()))
        // The server is down: everything is created, and what the server missed is sent again.
        for _ in 0..<2 {
            await #expect(throws: SharingError(.network, "")) { try await old.hand(over: new) }
        }
        #expect(old.profile.isRevoked(grant.value.id))
        let made = try new.profile.grants().map(\.value)
        #expect(made.count == 1 && made[0].requester == bob && made[0].precision == .reduced)
        #expect(made[0].intervalMin == 60 && made[0].sharer == new.profile.identity.publicIdentity)
        #expect(made[0].hours == Pair.hours && made[0].usesMax == 3 && made[0].asksPerson)
        #expect(abs(made[0].notAfter.duration(to: grant.value.notAfter) / .seconds(1)) < 5)
        #expect(new.profile.name(of: bob) == "Bob")
    }

    /// Goal: the new profile works like the old one: it has the same server and certificates, and the person's name for
    /// it.
    @Test func aHomeIsReplacedInPlace() throws {
        let path = self.path("profile")
        let trusted = path + "/trusted.pem"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: URL(fileURLWithPath: trusted))
        let settings = try ServerSettings(server: "https://localhost:1", trustRoots: trusted)
        let old = try SharingProfile.openOrCreate(path: path, settings: settings)
        try old.call(old.identity.publicIdentity, "Alice")
        for kept in [path + ".old", path + ".old-2"] {
            let before = try SharingProfile(path: path).identity.publicIdentity
            let replacement = ProfileReplacement(of: path + "/")
            let draft = try replacement.begin(from: SharingProfile(path: path))
            #expect(
                try replacement.begin(from: SharingProfile(path: path)).identity.publicIdentity
                    == draft.identity.publicIdentity
            )
            #expect(try replacement.finish() == kept)
            let new = try SharingProfile(path: path)
            #expect(new.identity.publicIdentity == draft.identity.publicIdentity && new.settings == old.settings)
            #expect(new.name(of: new.identity.publicIdentity) == "Alice")
            #expect(try SharingProfile(path: kept).identity.publicIdentity == before)
            #expect(FileManager.default.fileExists(atPath: trusted))
        }
    }

    /// Goal: a crash between the two renames loses nothing.
    @Test func anInterruptedReplacementIsFinished() throws {
        let old = try self.directory.profile("profile")
        let replacement = ProfileReplacement(of: old.path)
        try replacement.finishInterrupted()
        let new = try replacement.begin(from: old)
        try replacement.finishInterrupted()
        #expect(try SharingProfile(path: old.path).identity.publicIdentity == old.identity.publicIdentity)
        try FileManager.default.moveItem(atPath: old.path, toPath: old.path + ".old")
        try replacement.finishInterrupted()
        #expect(try SharingProfile(path: old.path).identity.publicIdentity == new.identity.publicIdentity)
    }

    /// Goal: names and grants of removed people are deleted at some time.
    @Test func peopleAreForgotten() throws {
        let profile = try self.directory.profile("profile")
        let alice = try Sharer(profile: self.directory.profile("alice"))
        let person = alice.profile.identity.publicIdentity
        let grant = try alice.approve(requester: profile.identity.publicIdentity, precision: .full, for: .seconds(60))
        try profile.keep(grant, from: "Alice")
        let sharer = try Sharer(profile: profile)
        let own = try sharer.approve(requester: person, precision: .full, for: .seconds(60))
        #expect(throws: SharingError(.badText, "")) { try profile.forget(person) }
        #expect(profile.name(of: person) == "Alice")
        try sharer.refuse(own)
        try profile.forget(person)
        #expect(try profile.received().isEmpty && profile.name(of: person) == nil)
        try profile.forget(person)
    }

    /// The server is not trusted, so it is contacted once.
    private struct Nobody: ServerTransport {
        func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
            throw TransportFailure.untrusted
        }

        func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int {
            throw TransportFailure.untrusted
        }
    }

    /// Goal: of several grants to one person, the last one is renewed, unless the person revoked it.
    @Test func theGrantGivenLastIsGivenAnew() async throws {
        let old = try Sharer(profile: self.directory.profile("old"), transport: Nobody())
        let new = try Sharer(profile: self.directory.profile("other"))
        let bob = self.pair.requester.publicIdentity
        var generator = SeededGenerator(seed: 5)
        for number in 1...12 {
            let given = WallTime.now.advanced(by: .seconds(number == 7 ? -1 : -100 + number))
            let grant = try Grant(
                to: bob,
                by: old.profile.identity.publicIdentity,
                precision: .full,
                for: .seconds(6000),
                atMostEvery: .seconds(number),
                using: &generator,
                now: given
            )
            try old.profile.grantFiles.record(old.profile.identity.sign(grant))
        }
        await #expect(throws: SharingError(.network, "")) { try await old.hand(over: new) }
        #expect(try new.profile.grants().map(\.value.intervalMin) == [7])
    }
}
