internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests for invitations, and for the profiles and names that they create.
struct InvitationTests {
    private let directory: TemporaryDirectory
    private let pair: Pair

    init() throws {
        self.directory = try TemporaryDirectory()
        self.pair = try Pair()
    }

    /// An invitation that is valid now.
    private func invitation(
        server: String = "https://sharing.example:8443",
        for duration: Duration = .seconds(600),
        trustRoots: [[UInt8]] = [],
        name: String = "Bob"
    ) throws -> Signed<Invitation> {
        let expires = WallTime.now.advanced(by: duration)
        return try self.pair.invitation(server: server, trustRoots: trustRoots, expires: expires, name: name)
    }

    private func accept(_ invitation: Signed<Invitation>, _ name: String = "new") throws -> SharingProfile {
        try SharingProfile.openOrCreate(path: "\(self.directory.path)/\(name)", invitation: invitation)
    }

    @Test func anInvitationBringsAllThatAHomeNeeds() throws {
        let authority = self.directory.path + "/ca.pem"
        let body = Data(repeating: 7, count: 400).base64EncodedString()
        let pem = "words\n-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\nmore words\n"
        try Data(pem.utf8).write(to: URL(fileURLWithPath: authority))
        let settings = try ServerSettings(server: "https://sharing.example:8443", trustRoots: authority)
        let bob = try SharingProfile.openOrCreate(path: self.directory.path + "/bob", settings: settings)
        let text = try bob.invitation(name: "Bob").text
        #expect(!text.contains { $0.isWhitespace })
        let read = try Signed<Invitation>(text: "  \(text)\n")
        #expect(read.value.trustRoots == [Array(repeating: 7, count: 400)])
        #expect(try Signed<Invitation>(text: String(text.dropFirst("whereabouts:".count))) == read)
        // Missing parent directories are created, such as those of an app that never ran.
        let alice = try self.accept(read, "a/b/alice")
        #expect(alice.settings.server == settings.server)
        let trusted = try #require(alice.settings.trustRoots)
        #expect(try String(contentsOfFile: trusted, encoding: .utf8).contains("BEGIN CERTIFICATE"))
        for path in [trusted, alice.path + "/identity.key"] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        // A second one for the same server changes nothing.
        #expect(try self.accept(read, "a/b/alice").identity.publicIdentity == alice.identity.publicIdentity)
    }

    /// Goal: an invitation cannot lead a person away from their server, or to something that is not a server.
    @Test func anInvitationOfAnotherServerLeavesAProfileAsItIs() throws {
        let profile = try self.accept(self.invitation())
        let other = try self.invitation(server: "https://other.example:8443")
        #expect(throws: SharingError(.badProfile, "")) { try self.accept(other) }
        #expect(try SharingProfile(path: profile.path).settings == profile.settings)
        let plain = try self.invitation(server: "http://sharing.example")
        #expect(throws: SharingError(.badText, "")) { try Signed<Invitation>(text: plain.text) }
    }

    @Test func anInvitationHasItsTime() throws {
        for seconds in [-1, 32 * 86_400] {
            let late = try self.invitation(for: .seconds(seconds))
            #expect(throws: SharingError(.badText, "")) { try self.accept(late) }
        }
        let profile = try self.accept(self.invitation())
        for duration in [Duration.zero, .seconds(32 * 86_400)] {
            #expect(throws: SharingError(.badText, "")) { try profile.invitation(name: "Bob", for: duration) }
        }
    }

    @Test func anInvitationThatWasChangedIsNone() throws {
        let bytes = try self.invitation(trustRoots: [[1]]).bytes
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            let text = "invite-v1." + Base64URL.text(of: changed)
            #expect(throws: SharingError.self) { try Signed<Invitation>(text: text) }
        }
        for length in bytes.indices {
            let text = "invite-v1." + Base64URL.text(of: bytes.prefix(length))
            #expect(throws: SharingError.self) { try Signed<Invitation>(text: text) }
        }
        for text in ["", "x", "invite-v1", "whereabouts:", String(repeating: "a", count: 20_000)] {
            #expect(throws: SharingError(.badText, "")) { try Signed<Invitation>(text: text) }
        }
        let tooMany: [[UInt8]] = Array(repeating: [1], count: 5)
        for trustRoots in [tooMany, [Array(repeating: 1, count: 2049)]] {
            let big = try self.invitation(trustRoots: trustRoots)
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Invitation>(text: big.text) }
        }
    }

    /// Goal: names of other people cannot control a terminal, whatever program signed them.
    @Test func aNameThatActsIsRefused() throws {
        let mild = try self.invitation(name: "B\u{1B}[31mob" + String(repeating: "é", count: 90)).value.name
        #expect(mild.hasPrefix("B [31mob") && mild.utf8.count <= Invitation.nameBytesMax)
        var writer = ByteWriter()
        writer.fixed(self.pair.requester.publicIdentity.bytes)
        for _ in 0..<2 { writer.integer(WallTime.now.advanced(by: .seconds(60)).milliseconds) }
        writer.counted(Array("https://sharing.example".utf8))
        writer.integer(UInt8(0))
        writer.counted(Array("\u{1B}[31m".utf8))
        var reader = ByteReader(writer.bytes, name: "an invitation")
        #expect(throws: SharingError(.badBytes, "")) { try Invitation(from: &reader) }
    }

    @Test func aGrantIsKeptForWhomItIsFor() throws {
        let alice = try self.directory.profile("alice")
        let bob = try self.directory.profile("bob")
        let requester = bob.identity.publicIdentity
        let sharer = try Sharer(profile: alice)
        let first = try sharer.approve(requester: requester, precision: .full, for: .seconds(60))
        #expect(throws: SharingError(.notForUs, "")) { try alice.keep(first) }
        #expect(try bob.received().isEmpty)
        try bob.keep(first)
        #expect(try bob.received() == [first])
        // A later invitation of the same person replaces it.
        let second = try sharer.approve(requester: requester, precision: .reduced, for: .seconds(60))
        try bob.keep(second)
        #expect(try bob.received() == [second])
    }

    @Test func aNameIsOnePersons() throws {
        let profile = try self.directory.profile("alice")
        let (bob, eve) = (self.pair.requester.publicIdentity, self.pair.sharer.publicIdentity)
        #expect(profile.name(of: bob) == nil)
        try profile.call(bob, "Bob")
        try profile.call(bob, "Bob")
        #expect(throws: SharingError(.badText, "")) { try profile.call(eve, "Bob") }
        #expect(throws: SharingError(.badText, "")) { try profile.call(eve, " \u{7}") }
        #expect(throws: SharingError(.badText, "")) { try profile.call(eve, "E\u{1B}ve") }
        try profile.call(eve, " Eve ")
        #expect(try SharingProfile(path: profile.path).name(of: eve) == "Eve")
        #expect(profile.name(of: bob) == "Bob")
    }
}
