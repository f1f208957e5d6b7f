internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// Tests schedules with real TLS and a database: a server that returns later makes the requests itself, and keeps the
/// answers.
struct ScheduleTests {
    private let town: Town

    init() throws {
        self.town = try Town()
    }

    private struct Begun: Sendable {
        let port: Int
        let sharer: Sharer
        let requester: Requester
        let grant: Signed<Grant>
        let schedule: SharedSchedule
    }

    /// A schedule that got its first answer from the current server.
    private func begun(usesMax: UInt16? = nil) async throws -> Begun {
        let town = self.town
        return try await town.withServer { port in
            let (_, requester, grant) = try await town.people(port: port, limits: GrantLimits(usesMax: usesMax))
            // The device uses a clock that is ahead; the server's clock continues while nothing waits.
            let sharer = try Sharer(
                profile: town.profile("sharer", port: port),
                policy: SharingPolicy(clockSkewMax: .seconds(3600))
            )
            let repetition = Repetition(everyMinutes: 15, until: WallTime.now.advanced(by: .seconds(3000)))
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            var last: RequestUpdate?
            for await update in requester.ask(grant, repeating: repetition, suite: .x25519AES) { last = update }
            try await device
            #expect(last?.state.kind == .answered)
            let schedule = try #require(requester.profile.outgoingSchedules().first)
            #expect(sharer.profile.incomingSchedules() == [schedule])
            return Begun(port: port, sharer: sharer, requester: requester, grant: grant, schedule: schedule)
        }
    }

    /// Runs the server with its clock ahead, and answers the occurrence that it requests.
    private func occurrence(_ begun: Begun, ahead: Duration) async throws -> ScheduleOccurrences {
        let town = self.town
        return try await town.withServer(port: begun.port, ahead: ahead) { _ in
            try await begun.sharer.respond(to: town.received(by: begun.sharer)) { try Town.measure() }
            return try await begun.requester.occurrences(of: begun.schedule)
        }
    }

    @Test func answersComeWhileNobodyIsThereAndAreFetchedLater() async throws {
        let begun = try await self.begun()
        let first = try await self.occurrence(begun, ahead: .seconds(901))
        #expect(first.occurrences.map(\.number) == [1] && first.ended == nil)
        guard case .fix(let fix) = first.occurrences.first?.answer?.content else { throw TownError() }
        #expect(fix.latitude == Town.latitude)
        let second = try await self.occurrence(begun, ahead: .seconds(1801))
        #expect(second.occurrences.map(\.number) == [1, 2])
        #expect(second.occurrences.allSatisfy { $0.state.kind == .answered })
        #expect(second.next == begun.schedule.since.advanced(by: .seconds(2700)))
        // Three answers, each with its line, the occurrences with the schedule's name.
        let requests = try begun.sharer.profile.journal().requests
        #expect(requests.map(\.schedule) == [nil, begun.schedule.request, begun.schedule.request])
        #expect(requests.allSatisfy { $0.end == .delivered })
        #expect(self.town.push.attempts == 3)
    }

    @Test func eachAnswerIsAUseOfTheGrant() async throws {
        let begun = try await self.begun(usesMax: 2)
        let first = try await self.occurrence(begun, ahead: .seconds(901))
        #expect(first.occurrences.last?.state.kind == .answered)
        let second = try await self.occurrence(begun, ahead: .seconds(1801))
        #expect(second.occurrences.map(\.state.kind) == [.answered, .refused])
        #expect(second.occurrences.last?.state.code == "usedUp")
    }

    @Test func theSharerEndsItForGood() async throws {
        let begun = try await self.begun()
        let (town, sharer, requester) = (self.town, begun.sharer, begun.requester)
        let told = try await town.withServer(port: begun.port) { _ in
            try await sharer.end(#require(sharer.profile.incomingSchedules().first))
            return try await requester.occurrences(of: begun.schedule)
        }
        #expect(told.ended == .bySharer && told.next == nil && told.occurrences.isEmpty)
        #expect(sharer.profile.incomingSchedules().isEmpty)
        #expect(try sharer.profile.journal().requests.first?.over?.reason == .bySharer)
        // A server that makes further requests gets a refusal.
        let directory = "\(sharer.profile.path)/followings"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        let name = try #require(names.first { !$0.hasSuffix(".ended") })
        let file = try #require(FileManager.default.contents(atPath: "\(directory)/\(name)"))
        let occurrence = try Signed<Request>(bytes: [UInt8](file)).occurrence(1)
        #expect(sharer.profile.followings.scheduleRefusal(of: occurrence.value, now: .now) == .scheduleEnded)
    }

    @Test func theRequesterEndsItAndReadsWhatCame() async throws {
        let begun = try await self.begun()
        _ = try await self.occurrence(begun, ahead: .seconds(901))
        let requester = begun.requester
        let told = try await self.town.withServer(port: begun.port, ahead: .seconds(901)) { _ in
            try await requester.end(begun.schedule)
            return try await requester.occurrences(of: begun.schedule)
        }
        #expect(told.ended == .byFollower && told.occurrences.map(\.number) == [1])
        let attempts = self.town.push.attempts
        let later = try await self.town.withServer(port: begun.port, ahead: .seconds(1801)) { _ in
            try await requester.occurrences(of: begun.schedule)
        }
        #expect(later.occurrences.map(\.number) == [1] && self.town.push.attempts == attempts)
    }

    @Test func aRevocationEndsItOnBothSides() async throws {
        let begun = try await self.begun()
        let (sharer, requester) = (begun.sharer, begun.requester)
        let told = try await self.town.withServer(port: begun.port) { _ in
            try await sharer.revoke(begun.grant)
            return try await requester.occurrences(of: begun.schedule)
        }
        #expect(told.ended == .revoked && told.next == nil)
        #expect(sharer.profile.incomingSchedules().isEmpty && sharer.profile.followings.unsaidEnds.isEmpty)
    }

    /// Goal: a requester who gets no position at first makes no further requests, and the server keeps no schedule.
    @Test func aScheduleThatIsRefusedBeginsNothing() async throws {
        let town = self.town
        try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            let repetition = Repetition(everyMinutes: 15, until: WallTime.now.advanced(by: .seconds(3000)))
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { throw TownError() }
            var last: RequestUpdate?
            for await update in requester.ask(grant, repeating: repetition, suite: .x25519) { last = update }
            try await device
            #expect(last?.state.kind == .failed)
            #expect(requester.profile.outgoingSchedules().isEmpty && sharer.profile.incomingSchedules().isEmpty)
        }
        let store = try SQLiteStore(path: town.path("server.sqlite"), policy: SharingPolicy())
        #expect(try await store.read { try $0.schedulesDue(now: .now.advanced(by: .seconds(3000)), max: 9) }.isEmpty)
    }
}
