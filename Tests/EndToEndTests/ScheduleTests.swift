internal import Foundation
internal import Rig
internal import Testing

/// Tests schedules with the real programs: both people see a schedule, and each can end it. (SharingServerTests tests
/// the occurrences, which are a quarter of an hour apart.)
@Suite(.serialized, .timeLimit(.minutes(4))) struct ScheduleTests {
    private struct Row: Decodable {
        var schedule: String
        var asksYou: Bool
        var everyMinutes: Int
        var state: String
    }

    private func rows(_ ended: Child.Ended) throws -> [Row] {
        try ended.output.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    @Test func bothSidesSeeAScheduleAndEndIt() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let bob = try installation.makeRequester("bob")
            try installation.approve(bob)
            let asked = try installation.ask(bob, options: ["--every", "1h", "--until", "20h"])
            #expect(asked.status == 0 && asked.output.contains("asked again every 1 h"), "\(asked.output)")
            let own = try self.rows(installation.schedules(of: bob, options: ["--json"]))
            let seen = try self.rows(installation.schedules(options: ["--json"]))
            let schedule = try #require(own.first).schedule
            #expect(own.map(\.asksYou) == [false] && seen.map(\.asksYou) == [true])
            #expect(seen.map(\.schedule) == [schedule] && seen.map(\.everyMinutes) == [60])
            #expect((own + seen).map(\.state) == ["asks", "asks"])
            // The sharer also looks at the schedule by name; a program can see one without any occurrence.
            let asks = try installation.schedules(options: [schedule])
            #expect(asks.status == 0 && asks.output.contains("--end"), "\(asks.output)")
            #expect(
                try self.rows(installation.schedules(of: bob, options: [schedule, "--json"])).map(\.state) == ["asks"]
            )
            let fetched = try installation.schedules(of: bob, options: [schedule])
            #expect(fetched.status == 0 && fetched.output.contains("is asked again at"), "\(fetched.output)")

            let ended = try installation.schedules(options: [schedule, "--end"])
            #expect(ended.status == 0, "\(ended.output)")
            #expect(try installation.schedules().output.contains("There are no schedules on this device"))
            #expect(
                try installation.schedules(of: bob, options: [schedule]).output.contains("The sharer stopped sharing")
            )

            #expect(try self.rows(installation.schedules(of: bob, options: ["--json"])).map(\.state) == ["ended"])
            #expect(try installation.schedules(of: bob).output.contains("ended"))

            // Another schedule, which the requester ends.
            #expect(try installation.ask(bob, options: ["--every", "15m", "--until", "2h"]).status == 0)
            let second = try #require(self.rows(installation.schedules(options: ["--json"])).first).schedule
            #expect(try installation.schedules(of: bob, options: [second, "--end"]).status == 0)
            let both = try self.rows(installation.schedules(of: bob, options: ["--json"]))
            #expect(both.map(\.state) == ["ended", "ended"], "it knows what it ended itself")
            #expect(
                try installation.schedules(of: bob, options: [second]).output.contains("The requester stopped asking")
            )

            // An impossible schedule is refused before anyone is asked.
            #expect(try installation.ask(bob, options: ["--every", "5m", "--until", "2h"]).status == 64)
            #expect(try installation.ask(bob, options: ["--every", "1h"]).status == 64)
            #expect(try installation.schedules(of: bob, options: ["nobody", "--end"]).status == 1)
        }
    }
}
