internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests for the lines that people send each other, and for a friend whose key was replaced.
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
        #expect(read.grant == grant && read.invitation == invitation && read.successions.isEmpty)
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

    /// Goal: a line survives mail programs and terminals that wrap, indent and quote it.
    @Test(arguments: ["\n", "\r\n", "\n> ", " \n>> > ", "\n\t| ", "\n\n  "])
    func aWrappedLineIsReadWhole(_ wrap: String) throws {
        let grant = try self.grant(by: self.alice, to: self.bob)
        let invitation = try self.alice.invitation(name: "Alice")
        func wrapped(_ text: String) -> String {
            var (rest, lines): (Substring, [Substring]) = (text[...], [])
            while !rest.isEmpty {
                lines.append(rest.prefix(72))
                rest = rest.dropFirst(72)
            }
            return "> \(lines.joined(separator: wrap)) \n"
        }
        let text = wrapped(HandedText.text(grant: grant, invitation: invitation))
        #expect(HandedText.begins(text))
        #expect(try HandedText(text: text).grant == grant && HandedText(text: text).invitation == invitation)
        #expect(try Signed<Invitation>(text: wrapped(invitation.text)) == invitation)
        #expect(try Signed<Grant>(text: wrapped(grant.text)) == grant)
    }

    /// Goal: the error for a line with one wrong letter says so, and does not mention signatures.
    @Test func aLineWithOneWrongLetterSaysSo() throws {
        let old = try self.directory.profile("old")
        let texts = [
            try self.grant(by: self.alice, to: self.bob).text, try self.alice.invitation(name: "Alice").text,
            try self.succession(old, self.alice).text,
        ]
        for text in texts + ["grant-v1..", "whereabouts:invite-v1.x", "successor-v1."] {
            let place = text.index(text.startIndex, offsetBy: text.count > 60 ? 60 : 0)
            let other = text[place] == "A" ? "B" : "A"
            let altered = text.count > 60 ? text[..<place] + other + text[text.index(after: place)...] : text[...]
            let error = #expect(throws: SharingError.self) { try HandedText(text: String(altered)) }
            #expect(error?.message.hasPrefix("This line was altered or cut. Copy the whole line") == true, "\(altered)")
        }
    }

    /// Goal: a friend needs only the newest line, however many earlier ones they missed.
    @Test func theNewestLineConnectsAllKeys() throws {
        var keys = [self.alice]
        for _ in 1...5 {
            let last = try #require(keys.last)
            keys.append(try ProfileReplacement(of: last.path).begin(from: last))
        }
        let ids = keys.map(\.identity.publicIdentity)
        func read(_ number: Int) throws -> [Signed<KeySuccession>] {
            try HandedText(text: HandedText.text(successions: keys[number].successions)).successions
        }
        #expect(try read(1).map(\.value.old) == [ids[0]])
        let line = try read(4)
        #expect(line.map(\.value.old) == Array(ids[0...3]) && line.last?.value.new == ids[4])
        let known = try self.bob.known(in: line)
        #expect(known.old == ids[0] && known.new == ids[4] && known.name == "Alice")
        try self.bob.name(known.new, inPlaceOf: known.old)
        // Accepting it again gives the same person.
        #expect(try self.bob.known(in: line).name == "Alice")
        #expect(try self.bob.known(in: read(5)).old == ids[4])
        // A line has a maximum length. A friend who missed more than it contains is told what to do.
        let other = try self.directory.profile("carol")
        try other.call(ids[0], "Alice")
        #expect(try read(5).count == HandedText.successionsMax)
        let error = try #require(throws: SharingError.self) { try other.known(in: read(5)) }
        #expect(error.code == .notForUs && error.message.contains("accept them first"))
    }

    /// Goal: key replacements that do not form a chain, or that return to an earlier key, are refused.
    @Test func aBrokenChainIsNoLine() throws {
        let (new, newest) = (try self.directory.profile("new"), try self.directory.profile("newest"))
        let steps = [try self.succession(self.alice, new), try self.succession(new, newest)]
        #expect(try HandedText(text: HandedText.text(successions: steps)).successions == steps)
        let back = try self.succession(new, self.alice)
        for wrong in [steps.reversed(), [steps[0], steps[0]], [steps[0], back]] {
            #expect(throws: SharingError(.badText, "")) { try HandedText(text: HandedText.text(successions: wrong)) }
        }
    }

    @Test func aSuccessionThatWasChangedIsNone() throws {
        let succession = try self.succession(self.alice, self.directory.profile("new"))
        #expect(try HandedText(text: succession.text).successions == [succession])
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

    /// Goal: the new key gets the old one's name once, and the old key may no longer ask.
    @Test func aKeyIsReplacedOnce() throws {
        let (old, new) = (self.alice.identity.publicIdentity, try self.directory.profile("new"))
        let given = try self.grant(by: self.alice, to: self.bob)
        try self.bob.keep(given)
        try self.bob.name(new.identity.publicIdentity, inPlaceOf: old)
        #expect(self.bob.name(of: old) == nil)
        #expect(self.bob.name(of: new.identity.publicIdentity) == "Alice")
        #expect(try self.bob.received().isEmpty)
        // Repeating it after an interruption changes nothing.
        try self.bob.name(new.identity.publicIdentity, inPlaceOf: old)
        #expect(self.bob.name(of: new.identity.publicIdentity) == "Alice")
    }
}
