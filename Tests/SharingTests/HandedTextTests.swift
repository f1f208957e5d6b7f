internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The lines that people send each other, and a friend whose key was replaced.
struct HandedTextTests {
    private let directory: TemporaryDirectory
    private let alice: SharingProfile
    private let bob: SharingProfile

    init() throws {
        self.directory = try TemporaryDirectory()
        self.alice = try self.directory.profile("alice")
        self.bob = try self.directory.profile("bob")
        try self.bob.call(self.alice.identity.publicIdentity, "Alice")
    }

    private func grant(by sharer: SharingProfile, to requester: SharingProfile) throws -> Signed<Grant> {
        try Sharer(profile: sharer).approve(
            requester: requester.identity.publicIdentity,
            precision: .reduced,
            for: .seconds(600)
        )
    }

    private func succession(_ old: SharingProfile, _ new: SharingProfile) throws -> Signed<KeySuccession> {
        try old.identity.sign(
            KeySuccession(old: old.identity.publicIdentity, new: new.identity.publicIdentity, issued: .now)
        )
    }

    @Test func aReplyHasTheGrantAndTheInvitationOfOnePerson() throws {
        let grant = try self.grant(by: self.alice, to: self.bob)
        let invitation = try self.alice.invitation(name: "Alice", offersGrant: true)
        let text = HandedText.text(grant: grant, invitation: invitation)
        #expect(!text.contains { $0.isWhitespace } && HandedText.begins(text))
        let read = try HandedText(text: " \(text)\n")
        #expect(read.grant == grant && read.invitation == invitation && read.succession == nil)
        #expect(read.invitation?.value.offersGrant == true)
        #expect(try self.alice.invitation(name: "Alice").value.offersGrant == false)
        let others = try self.bob.invitation(name: "Bob")
        for (wrong, why) in [
            (HandedText.text(grant: grant, invitation: others), "two people"),
            ("\(grant.text)+\(grant.text)", "a part twice"), ("\(text)+", "an empty part"), ("\(text) x", "two words"),
            ("", "nothing"), ("+", "nothing twice"),
        ] {
            #expect(throws: SharingError(.badText, ""), "\(why)") { try HandedText(text: wrong) }
        }
    }

    @Test func aSuccessionThatWasChangedIsNone() throws {
        let succession = try self.succession(self.alice, self.directory.profile("new"))
        #expect(try HandedText(text: succession.text).succession == succession)
        for place in succession.bytes.indices {
            var changed = succession.bytes
            changed[place] ^= 1
            #expect(throws: SharingError.self) {
                try Signed<KeySuccession>(text: "successor-v1.\(Base64URL.text(of: changed))")
            }
        }
        let key = self.alice.identity.publicIdentity
        let same = try self.alice.identity.sign(KeySuccession(old: key, new: key, issued: .now))
        #expect(throws: SharingError(.badBytes, "")) { try Signed<KeySuccession>(text: same.text) }
    }

    /// Goal: the new key has the old one's name once, and what the old key may ask is over.
    @Test func aKeyIsReplacedOnce() throws {
        let (old, new) = (self.alice.identity.publicIdentity, try self.directory.profile("new"))
        let given = try self.grant(by: self.alice, to: self.bob)
        try self.bob.keep(given)
        try self.bob.name(new.identity.publicIdentity, inPlaceOf: old)
        #expect(self.bob.name(of: old) == nil)
        #expect(self.bob.name(of: new.identity.publicIdentity) == "Alice")
        #expect(try self.bob.received().isEmpty)
        // Repeated after an interruption, it changes nothing.
        try self.bob.name(new.identity.publicIdentity, inPlaceOf: old)
        #expect(self.bob.name(of: new.identity.publicIdentity) == "Alice")
    }
}
