internal import Foundation
internal import Rig
internal import Testing

/// Tests `whereabouts init`, `invite`, `accept` and `journal` without a server: their results and their errors.
@Suite(.timeLimit(.minutes(1))) final class InviteCommandTests {
    private let place: String

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "wi-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.place) }

    private func whereabouts(_ arguments: String...) throws -> Child.Ended { try self.whereabouts(arguments) }

    private func whereabouts(_ arguments: [String]) throws -> Child.Ended {
        let log = self.place + "/errors.log"
        return try Child("whereabouts", Binaries().path("whereabouts"), arguments, log: log).waitForEnd(within: 30)
    }

    private func errors() throws -> String { try String(contentsOfFile: self.place + "/errors.log", encoding: .utf8) }

    private struct Invited: Decodable {
        var link: String
        var safetyNumber: String
    }

    /// Creates a server's directory, and its first person's invitation.
    private func invite() throws -> Invited {
        #expect(try self.whereabouts("init", self.place + "/hand").status == 0)
        let shown = try self.whereabouts("invite", "--profile", self.place + "/hand/me", "--name", "Bob", "--json")
            .output
        return try JSONDecoder().decode(Invited.self, from: Data(shown.utf8))
    }

    @Test func aServerOfOnesOwnIsMadeInOneCommand() throws {
        let hand = self.place + "/hand"
        let made = try self.whereabouts("init", hand)
        #expect(made.status == 0 && made.output.contains("whereabouts serve \(hand)"), "\(made.output)")
        #expect(made.output.contains("whereabouts gateway status --control \(hand)/control"), "\(made.output)")
        for name in ["ca.key", "tls.key", "AuthKey.p8", "whereabouts.toml", "me/identity.key"] {
            let mode = try FileManager.default.attributesOfItem(atPath: "\(hand)/\(name)")[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let identity = try self.whereabouts("identity", "--profile", hand + "/me").output
        // Running init again repairs the configuration and keeps existing identities.
        let file = URL(filePath: hand + "/whereabouts.toml")
        let wrong = try String(contentsOf: file, encoding: .utf8).replacing("provider-address", with: "nonsense")
        try Data(wrong.utf8).write(to: file)
        #expect(try self.whereabouts("init", hand).status == 0)
        #expect(try self.whereabouts("identity", "--profile", hand + "/me").output == identity)
        // The server does not start with an invalid configuration, and the error names the cause.
        #expect(try self.whereabouts("serve", hand).status != 0)
        #expect(try self.errors().contains("nonsense"))
        for (toml, word) in [("gateway = ", "is not valid TOML"), ("[gate]", "gate")] {
            try Data(toml.utf8).write(to: file)
            #expect(try self.whereabouts("serve", hand).status == 1)
            #expect(try self.errors().contains(word))
        }
        #expect(try self.whereabouts("serve", self.place + "/nothing").status == 1)
    }

    @Test func anInvitationIsAcceptedByThoseWhoCompared() throws {
        let (invited, alice) = (try self.invite(), self.place + "/alice")
        // There is no terminal.
        #expect(try self.whereabouts("accept", invited.link, "--profile", alice).status == 1)
        #expect(try self.errors().contains("Not a terminal: pass --safety-number NUMBER"))
        // The line is neither a file nor a file's content.
        #expect(try self.whereabouts("accept", "no-file.grant", "--profile", alice, "--yes").status == 1)
        #expect(try self.errors().contains("there is no file no-file.grant"))
        #expect(try self.whereabouts("accept", "", "--profile", alice, "--yes").status == 1)
        #expect(try self.errors().contains("the text is empty"))
        // An incomplete safety number is a usage error, not a sign that someone exchanged the text.
        #expect(try self.whereabouts("accept", invited.link, "--profile", alice, "--safety-number", "123").status == 64)
        #expect(try self.errors().contains("is not a safety number"))
        let wrong = String(invited.safetyNumber.reversed())
        #expect(try self.whereabouts("accept", invited.link, "--profile", alice, "--safety-number", wrong).status == 1)
        #expect(!FileManager.default.fileExists(atPath: alice))
        let grant = self.place + "/bob.grant"
        let accepted = try self.whereabouts(
            "accept",
            invited.link,
            "--profile",
            alice,
            "--safety-number",
            invited.safetyNumber,
            "--out",
            grant
        )
        #expect(accepted.status == 0, "\(accepted.output)")
        let listed = try self.whereabouts("grants", "--profile", alice).output
        #expect(listed.contains("Bob") && listed.contains("full"))
        #expect(try self.whereabouts("revoke", "Nobody", "--profile", alice).status == 1)
        #expect(try self.errors().contains("there is no grant 'Nobody'"))
        // Another grant does not revoke the first one, and a message says so.
        #expect(try self.whereabouts("accept", invited.link, "--profile", alice, "--yes", "--uses", "2").status == 0)
        #expect(try self.errors().contains("Bob has another grant, which stays valid"))
        let names = URL(filePath: "\(alice)/names.json")
        let kept = try Data(contentsOf: names)
        try Data("{".utf8).write(to: names)
        #expect(try self.whereabouts("grants", "--profile", alice).status == 1)
        #expect(try self.errors().contains("names.json is damaged"))
        try kept.write(to: names)
        // The other direction: Bob accepts the grant, and can then ask with or without the name.
        let bob = self.place + "/hand/me"
        #expect(try self.whereabouts("ask", "--profile", bob).status == 1)
        #expect(try self.whereabouts("accept", grant, "--profile", alice, "--yes").status == 1)
        let said = try self.errors()
        #expect(said.contains("for somebody else") && !said.contains("lets you ask where they are"))
        #expect(try self.whereabouts("accept", grant, "--profile", bob, "--name", "Alice", "--yes").status == 0)
        #expect(try self.whereabouts("ask", "Carol", "--profile", bob).status == 1)
        #expect(try self.errors().contains("You can ask: Alice."))
        // Bob's program makes the request; its outcome depends on what listens at that address.
        let asked = try self.whereabouts("ask", "--profile", bob, "--deadline", "1s").status
        #expect([3, 6, 7].contains(asked), "\(asked)")
    }

    /// Goal: running the command again creates no second grant, which would survive the revocation of the first one.
    @Test func anInvitationAcceptedAgainGivesTheSameGrant() throws {
        let (invited, alice) = (try self.invite(), self.place + "/alice")
        let arguments = ["accept", invited.link, "--profile", alice, "--yes"]
        func accept(_ more: String...) throws -> String { try self.whereabouts(arguments + more).output }
        func count() throws -> Int {
            try self.whereabouts("grants", "--profile", alice, "--json").output.split(separator: "\n").count
        }
        let first = try accept()
        #expect(try first.hasPrefix("grant-v1.") && !self.errors().contains("accepted this before"))
        #expect(try accept() == first)
        #expect(try self.errors().contains("You accepted this before"))
        #expect(try count() == 1)
        // Other terms create another grant. So does an invitation after a revocation.
        #expect(try accept("--for", "1h") != first)
        #expect(try accept("--precision", "reduced") != first)
        #expect(try count() == 3)
        // The server is not running, so the revocation is stored and sent later.
        _ = try self.whereabouts("revoke", "Bob", "--profile", alice)
        let other = try accept()
        #expect(other.hasPrefix("grant-v1.") && other != first)
        #expect(try accept() == other)
    }

    /// Goal: one invitation connects two people in both directions.
    ///
    /// Without a server, a third line is necessary.
    @Test func oneInvitationJoinsTwoPeople() throws {
        #expect(try self.whereabouts("init", self.place + "/hand", "--name", "Bob").status == 0)
        let (bob, alice) = (self.place + "/hand/me", self.place + "/alice")
        let link = try self.whereabouts("invite", "--profile", bob, "--both", "--link").output
        let reply = self.place + "/reply"
        #expect(try self.whereabouts("accept", link, "--profile", alice, "--yes", "--out", reply).status == 1)
        #expect(try self.errors().contains("--own-name NAME"))
        #expect(![alice, reply].contains(where: FileManager.default.fileExists))
        let named = ["--own-name", "Alice"]
        let replied = try self.whereabouts(["accept", link, "--profile", alice, "--yes", "--out", reply] + named)
        #expect(replied.status == 0)
        #expect(try self.errors().contains("Bob offers to let you ask, too"))
        #expect(try self.whereabouts("accept", link, "--profile", alice, "--qr", "--out", reply).status == 64)
        let shown = try self.whereabouts("accept", link, "--profile", alice, "--yes", "--qr").output
        #expect(shown.split(separator: "\n").count > 20, "\(shown)")
        // Skipping the comparison does not count as consent.
        let kept = try self.whereabouts("accept", reply, "--profile", bob, "--name", "Alice", "--yes")
        #expect(kept.status == 0 && kept.output.hasPrefix("kept; ask with: "), "\(kept.output)")
        #expect(try self.errors().contains("run this again with --both"))
        #expect(try self.whereabouts("grants", "--profile", bob).output.contains("haven't shared"))
        let back = try self.whereabouts("accept", reply, "--profile", bob, "--both").output
        #expect(back.hasPrefix("grant-v1.") && back.split(separator: "\n").count == 1, "\(back)")
        #expect(try self.errors().contains("not on the server"))
        // Accepting the line again creates no second grant, which would survive the revocation of the first one.
        #expect(try self.whereabouts("accept", reply, "--profile", bob, "--both").output == back)
        #expect(try self.whereabouts("grants", "--profile", bob, "--json").output.split(separator: "\n").count == 1)
        #expect(try self.whereabouts("accept", reply, "--profile", bob, "--both", "--uses", "2").output != back)
        // Her program already knows the key.
        let last = try self.whereabouts("accept", back, "--profile", alice)
        #expect(last.status == 0 && last.output.contains("ask --profile"))
        for (profile, name) in [(bob, "Alice"), (alice, "Bob")] {
            let friends = try self.whereabouts("friends", "--profile", profile, "--json").output
            #expect(friends.contains(name) && friends.contains("askableUntil") && friends.contains("mayAskUntil"))
        }
        // A file with the reply names its grant.
        #expect(try self.whereabouts("revoke", reply, "--profile", alice).status == 1)
        #expect(try self.errors().contains("on this device"))
    }

    /// Goal: a program that reads JSON can read and distinguish errors, too.
    @Test func anErrorIsJSONWhereTheOutputIs() throws {
        struct Failure: Decodable { var code, reason, state: String }
        _ = try self.invite()
        let (me, nowhere) = (self.place + "/hand/me", self.place + "/nowhere")
        for (arguments, code, status) in [
            (["ask", "--profile", nowhere], "noProfile", 1), (["ask", "Carol", "--profile", me], "unknownName", 1),
            (["ask", "--profile", me, "--deadline", "0s"], "usage", 64), (["ask", "--nonsense"], "usage", 64),
            (["friends", "--profile", nowhere], "noProfile", 1), (["gateway", "statos"], "usage", 64),
            (["group", "--leave", "x", "--profile", me], "unknownName", 1),
        ] as [([String], String, Int32)] {
            let ended = try self.whereabouts(arguments + ["--json"])
            let failure = try JSONDecoder().decode(Failure.self, from: Data(ended.output.utf8))
            #expect(failure.code == code && ended.status == status, "\(arguments): \(failure)")
            #expect(failure.state == "error" && !failure.reason.isEmpty)
            #expect(try !self.errors().contains("Error:"))
        }
        // For people, errors stay text, with the usage of the command that they called.
        let link = ["link", "--own-name", "A", "--password", "ask", "--profile", me]
        #expect(try self.whereabouts(link).status == 64)
        let words = try self.errors()
        #expect(words.contains("Error: There is no terminal") && words.contains("Usage: whereabouts link "), "\(words)")
    }

    /// Goal: a command offered for copying does exactly one thing, whatever names others choose and wherever the
    /// profile is.
    @Test(arguments: ["Al $(touch made); x", "it's `touch made`", "--grant", "Alice"])
    func anOfferedCommandDoesWhatItSays(_ name: String) throws {
        let (invited, alice) = (try self.invite(), self.place + "/alice")
        let profile = self.place + "/it's $(touch made)"
        try FileManager.default.moveItem(atPath: self.place + "/hand/me", toPath: profile)
        let grant = try self.whereabouts("accept", invited.link, "--profile", alice, "--yes").output
        let file = self.place + "/given"
        try Data(grant.utf8).write(to: URL(filePath: file))
        let kept = try self.whereabouts("accept", file, "--profile", profile, "--name=\(name)", "--yes")
        #expect(kept.status == 0, "\(kept.output)")
        let command = try #require(kept.output.split(separator: "ask with: ").last)
        // The words into which the shell splits the line.
        let words = "cd '\(self.place)'; printf '%s\\n' \(command)"
        let log = self.place + "/shell.log"
        let shell = try Child("sh", "/bin/sh", ["-c", words], log: log).waitForEnd(within: 30)
        let dashes = name.hasPrefix("-") ? ["--"] : []
        #expect(
            shell.output.split(separator: "\n").map(String.init)
                == ["whereabouts", "ask", "--profile", profile] + dashes + [name]
        )
        #expect(!FileManager.default.fileExists(atPath: self.place + "/made"))
        // The copied line finds the friend; only the network fails.
        let asked = try self.whereabouts(["ask", "--profile", profile, "--deadline", "1s"] + dashes + [name]).status
        #expect([3, 6, 7].contains(asked), "\(asked)")
    }

    /// Goal: the terms shown to a person are the ones they set.
    ///
    /// Mistakes are reported before a grant is created.
    @Test func theTermsOfAGrantAreShown() throws {
        let link = try self.invite().link
        let alice = self.place + "/alice"
        let accept = ["accept", link, "--profile", alice, "--yes"]
        func status(_ terms: String...) throws -> Int32 { try self.whereabouts(accept + terms).status }
        for mistake in [
            ["--hours", "9-17"], ["--hours", "09:00-09:00"], ["--hours", "09:00-24:01"], ["--hours", "09:60-10:00"],
            ["--hours", "09:00-17:00", "--zone", "Europe/Nowhere"], ["--hours", "09:00-17:00", "--zone", "../UTC"],
            ["--zone", "Europe/Berlin"], ["--for", "0s"], ["--uses", "0"], ["--uses", "65536"], ["--uses", "-1"],
        ] {
            #expect(try self.whereabouts(accept + mistake).status == 64, "\(mistake)")
        }
        #expect(!FileManager.default.fileExists(atPath: alice))
        #expect(
            try status("--hours", "22:00-06:30", "--zone", "Europe/Berlin", "--uses", "3", "--ask-me", "--name", "B")
                == 0
        )
        let terms = "from 22:00-06:30 UTC+01:00 (UTC+02:00 in summer), 3 times in all, each time only after a yes"
        #expect(try self.errors().contains("B may know where you are: exactly, until "))
        #expect(try self.errors().contains(terms))
        // The other side reads the same terms before relying on them.
        let grant = try self.whereabouts(accept + ["--hours", "22:00-06:30", "--zone", "Europe/Berlin"]).output
        let bob = self.place + "/hand/me"
        #expect(try self.whereabouts("accept", grant, "--profile", bob, "--name", "Alice", "--yes").status == 0)
        #expect(try self.errors().contains("Alice lets you ask where they are: exactly, until "))
        let shown = try self.whereabouts("grants", "--profile", alice, "--json").output
        for part in [
            #""from":"22:00""#, #""to":"06:30""#, #""utcOffset":"+01:00""#, #""daylightUTCOffset":"+02:00""#,
            #""uses":3"#, #""usesLeft":3"#, #""asksYou":true"#, #""state":"holds""#,
        ] { #expect(shown.contains(part), "\(part)") }
        #expect(try self.whereabouts("grants", "--profile", alice).output.contains("22:00-06:30 UTC+01:00"))
        #expect(
            try self.whereabouts("questions", "--profile", alice).output == "No request is waiting for your answer.\n"
        )
        #expect(try self.whereabouts("questions", "--profile", alice, "--yes").status == 1)
        #expect(try self.whereabouts("questions", "--profile", alice, "--yes", "--no").status == 64)
        #expect(try self.whereabouts("questions", "--profile", alice, "B").status == 64)
    }

    @Test func whoAcceptsIsShownWhatItMeans() throws {
        let invited = try self.invite()
        _ = try self.whereabouts("accept", invited.link, "--profile", self.place + "/alice", "--yes")
        let shown = try self.errors()
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "PRIVACY.md")
        let notice = try #require(
            String(contentsOf: page, encoding: .utf8).firstMatch(of: /```\n(.*?)\n```/.dotMatchesNewlines())
        )
        #expect(shown.contains(notice.output.1))
        #expect(shown.contains("Bob wants to ask where you are"))
    }

    @Test func anEmptyJournalSaysSo() throws {
        _ = try self.invite()
        let profile = self.place + "/hand/me"
        let shown = try self.whereabouts("journal", "--profile", profile)
        #expect(shown.status == 0 && shown.output.contains("The journal is empty"))
        #expect(try self.whereabouts("journal", "--profile", profile, "--json").output.isEmpty)
        #expect(try self.whereabouts("journal", "--profile", profile, "--tell", "daily").status == 0)
        #expect(try self.whereabouts("journal", "--profile", profile, "--gpx", "--json").status == 64)
        try Data(repeating: 1, count: 1024).write(to: URL(filePath: profile + "/journal"))
        #expect(try self.whereabouts("journal", "--profile", profile).status == 3)
        #expect(try self.errors().contains("line 1 was changed"))
    }
}
