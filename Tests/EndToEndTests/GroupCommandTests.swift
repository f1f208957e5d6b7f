internal import Foundation
internal import Rig
internal import Testing

/// Tests `whereabouts group` with the real programs: three people join with one invitation each, and locate each other.
@Suite(.serialized, .timeLimit(.minutes(4))) struct GroupCommandTests {
    /// The person's safety number.
    private func number(_ profile: String, _ installation: Installation) throws -> String {
        struct Shown: Decodable { var safetyNumber: String }
        let shown = try installation.run("whereabouts", ["identity", "--profile", profile, "--json"]).output
        return try JSONDecoder().decode(Shown.self, from: Data(shown.utf8)).safetyNumber
    }

    @Test func threePeopleJoinByOneInvitationEach() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let alice = installation.sharerProfile
            let directory = installation.workspace.directory
            func whereabouts(_ profile: String, _ arguments: String...) throws -> Child.Ended {
                try installation.run("whereabouts", arguments + ["--profile", profile])
            }
            #expect(try whereabouts(alice, "group", "family", "--create", "--for", "30d").status == 0)
            #expect(try whereabouts(alice, "group", "Family", "--create").status == 1)
            let link = try whereabouts(alice, "invite", "--group", "family", "--name", "Alice", "--link").output
            #expect(link.hasPrefix("whereabouts:invite-v1."))
            let number = try self.number(alice, installation)
            for name in ["bob", "carol"] {
                let (profile, reply) = ("\(directory)/\(name)", "\(directory)/\(name).reply")
                #expect(try whereabouts(profile, "accept", link, "--yes", "--uses", "3").status == 1)
                #expect(!FileManager.default.fileExists(atPath: profile))
                let named = ["--own-name", name, "--profile", profile]
                let join = ["accept", link, "--safety-number", number, "--out", reply]
                #expect(try whereabouts(profile, "accept", link, "--safety-number", number).status == 1)
                let joined = try installation.run("whereabouts", join + named)
                #expect(joined.status == 0, "\(joined.output)")
                #expect(try whereabouts(profile, "group").output.contains("waits for the founder"))
                // The founder has to compare safety numbers.
                #expect(try whereabouts(alice, "accept", reply, "--name", name).status == 1)
                let own = try self.number(profile, installation)
                let confirmed = try whereabouts(alice, "accept", reply, "--name", name, "--safety-number", own)
                #expect(confirmed.status == 0 && confirmed.output.contains("is a member of family"))
                #expect(try whereabouts(profile, "group").output.contains("member"))
            }
            let (bob, carol) = ("\(directory)/bob", "\(directory)/carol")
            #expect(try whereabouts(carol, "accept", "\(directory)/bob.reply", "--yes").status == 1)
            // Bob's program fetches Carol's grant when he asks; the two never exchanged a line.
            for (profile, name) in [(bob, "Alice"), (carol, "Alice")] {
                let asked = try whereabouts(profile, "ask", name)
                #expect(asked.status == 0 && asked.output.contains("answered: "), "\(asked.output)")
            }
            // Carol has no device.
            #expect(try whereabouts(bob, "ask", "carol").status == Installation.refusedStatus)
            let names = try whereabouts(bob, "friends", "--json").output.split(separator: "\n")
            #expect(names.count == 2 && names.allSatisfy { $0.contains("askableUntil") && $0.contains("mayAskUntil") })
            #expect(try whereabouts(alice, "journal").output.contains("bob"))
            #expect(try whereabouts(alice, "revoke", "carol").status == 0)
            #expect(try whereabouts(carol, "ask", "Alice").status == Installation.refusedStatus)
            #expect(try whereabouts(alice, "group", "family", "--remove", "carol").status == 0)
            #expect(try whereabouts(carol, "group").output.contains("removed by the founder"))
            #expect(try whereabouts(bob, "group").status == 0)
            #expect(
                try whereabouts(bob, "friends", "--json").output.split(separator: "\n").count {
                    $0.contains("mayAskUntil")
                } == 1
            )
            #expect(try whereabouts(bob, "group", "family", "--leave").status == 0)
            #expect(try whereabouts(bob, "group").output.contains("You are in no group"))
            #expect(try whereabouts(bob, "group", "family", "--leave").status == 1)
            #expect(try whereabouts(bob, "group", "family").status == 64)
            #expect(installation.stop() == [])
        }
    }
}
