internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsCommand

/// Tests for the page of `whereabouts web`, which shows the content of a pasted line before it is accepted.
struct PastedLineTests {
    private let town: Town
    private let alice: SharingProfile
    private let bob: SharingProfile

    init() throws {
        let town = try Town()
        let settings = try ServerSettings(server: "https://localhost:1")
        func profile(_ name: String) throws -> SharingProfile {
            try SharingProfile.openOrCreate(path: town.path(name), settings: settings)
        }
        self.town = town
        (self.alice, self.bob) = (try profile("alice"), try profile("bob"))
    }

    @Test func anInvitationSaysWhoAsks() throws {
        let invitation = try self.bob.invitation(name: "Bob", offersGrant: true)
        let line = try PastedLine("  \(invitation.text)\n", in: self.alice)
        #expect(line.kind == .invitation && line.name == "Bob" && !line.isKnown && line.isForBoth && line.terms == nil)
        #expect(line.safetyNumber == self.bob.identity.publicIdentity.safetyNumber)
        #expect(line.server == "https://localhost:1")
    }

    /// Goal: a person sees the terms of a grant, and which friend gave it.
    @Test func aGrantSaysWhatItAllows() throws {
        let grant = try Sharer(profile: self.alice).approve(
            requester: self.bob.identity.publicIdentity,
            precision: .reduced,
            for: .seconds(3600),
            atMostEvery: .seconds(60),
            limits: GrantLimits(usesMax: 5, asksPerson: true, followMinutesMax: 30)
        )
        let text = try HandedText.text(grant: grant, invitation: self.alice.invitation(name: "Alice"))
        let line = try PastedLine(text, in: self.bob)
        #expect(line.kind == .grant && line.name == "Alice" && !line.isKnown && line.isForBoth)
        let terms = try #require(line.terms)
        #expect(terms.precision == "reduced" && terms.atMostEverySeconds == 60 && terms.uses == 5)
        #expect(terms.asksPerson && terms.followMinutes == 30)
        try self.bob.call(self.alice.identity.publicIdentity, "Ann")
        let known = try PastedLine(grant.text, in: self.bob)
        #expect(known.name == "Ann" && known.isKnown && !known.isForBoth)
        let error = #expect(throws: SharingError.self) { try PastedLine(grant.text, in: self.alice) }
        #expect(error?.message.contains("for somebody else") == true)
    }

    @Test func aGroupAndAReplyToItAreToldApart() throws {
        let group = try self.alice.groups.found("family", precision: .full, for: .seconds(86_400))
        let invitation = try self.alice.invitation(name: "Alice", group: group.offer)
        let line = try PastedLine(invitation.text, in: self.bob)
        #expect(line.kind == .group && line.group == "family" && line.terms?.precision == "full")
        let reply = try PastedLine(self.bob.join(invitation.value.group ?? group.offer, as: "Bob").text, in: self.alice)
        #expect(reply.kind == .member && reply.group == "family" && reply.name == "Bob")
    }

    /// Goal: the page offers nothing that the command refuses.
    @Test func aLineForSomebodyElseSaysSo() throws {
        let group = try self.alice.groups.found("family", precision: .full, for: .seconds(86_400))
        let invitation = try self.alice.invitation(name: "Alice", group: group.offer)
        let reply = try self.bob.join(invitation.value.group ?? group.offer, as: "Bob")
        let key = KeySuccession(
            old: self.alice.identity.publicIdentity,
            new: try Identity().publicIdentity,
            issued: .now
        )
        for (text, words) in [
            (try self.bob.invitation(name: "Bob").text, "is your own"), (reply.text, "for the founder of the group"),
            (HandedText.text(successions: [try self.alice.identity.sign(key)]), "do not know"),
        ] {
            let error = #expect(throws: SharingError.self) { try PastedLine(text, in: self.bob) }
            #expect(error?.code == .notForUs && error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    /// Goal: a person compares the new key's number, under the old key's name.
    @Test func aNewKeyHasTheNameOfTheOldOne() throws {
        let (old, new) = (try Identity(), try Identity())
        try self.alice.call(old.publicIdentity, "Carol")
        let succession = try old.sign(
            KeySuccession(old: old.publicIdentity, new: new.publicIdentity, issued: .now)
        )
        let line = try PastedLine(HandedText.text(successions: [succession]), in: self.alice)
        #expect(line.kind == .key && line.name == "Carol" && !line.isKnown)
        #expect(line.safetyNumber == new.publicIdentity.safetyNumber)
    }

    @Test func aLineThatWasCutOrIsOfAnotherKindIsRefused() throws {
        let whole = try self.bob.invitation(name: "Bob").text
        for text in ["", "/etc/passwd", "https://example.org/see#abc", String(whole.dropLast(9)), "\(whole) \(whole)"] {
            let error = #expect(throws: SharingError.self, "\(text)") { try PastedLine(text, in: self.alice) }
            #expect(error?.message.lowercased().contains("copy the whole") == true, "\(error?.message ?? "")")
        }
    }

    /// Goal: the page passes only options that its command has, and no file names.
    @Test(arguments: [
        (#"{"verb":"read","text":""}"#, "contains no name"),
        (#"{"verb":"accept","text":"x","options":{"out":"/x"}}"#, "'out'"),
        (#"{"verb":"link","options":{"profile":"/x"}}"#, "'profile'"),
        (#"{"verb":"invite","options":{"group":"x"}}"#, "'group'"),
        (#"{"verb":"ask","who":"Bob","options":{"grant":"/x"}}"#, "'grant'"),
        (#"{"verb":"backup"}"#, "not available"),
    ])
    func anOrderHasItsOwnOptionsOnly(_ order: String, _ words: String) async throws {
        let site = PersonSite(profile: self.alice.path)
        let error = await #expect(throws: SharingError.self) { try await site.act("order", order) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
