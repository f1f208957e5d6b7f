internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for the files of schedules, on the device and in the requester's profile.
struct ScheduleFilesTests {
    private let directory: TemporaryDirectory
    private let profile: SharingProfile
    private let issued = WallTime(milliseconds: 1_800_000_001_000)

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("sharer")
    }

    private var followings: FollowingFiles { self.profile.followings }
    private var schedules: ScheduleFiles { self.profile.schedules }

    private func request() throws -> Signed<Request> {
        try Pair().scheduleRequest(publicKey: Array(repeating: 9, count: 32))
    }

    private func after(_ seconds: Int) -> WallTime { self.issued.advanced(by: .seconds(seconds)) }

    private func entries() throws -> [JournalEntry] { try self.profile.journal().lines.map(\.entry) }

    @Test func aScheduleIsSeenFromItsFirstAnswerAndByAnyOccurrence() throws {
        let request = try self.request()
        // A restored profile is notified by the next occurrence.
        try self.followings.begin(request.occurrence(5))
        let schedule = try #require(self.followings.schedules(now: self.after(60)).first)
        #expect(schedule == request)
        #expect(self.followings.followings(now: self.after(60)).isEmpty)
        try self.followings.begin(request)
        #expect(self.followings.schedules(now: self.after(60)) == [request])
        let end = try #require(request.value.scheduleEnd)
        #expect(self.followings.schedules(now: end).isEmpty)
        // Long afterwards, only the journal's line is left.
        #expect(self.followings.schedules(now: end.advanced(by: .seconds(3600))).isEmpty)
        #expect(try self.entries().map(\.event) == [.over(.time)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(self.profile.path)/followings").isEmpty)
    }

    /// Goal: a schedule that its sharer ended stays ended, whatever the server requests.
    @Test func anEndHoldsAfterTheServerKnowsOfIt() throws {
        let request = try self.request()
        try self.followings.begin(request)
        #expect(self.followings.scheduleRefusal(of: request.occurrence(1).value, now: self.after(3600)) == nil)
        let end = try self.followings.end(request.value, .bySharer, now: self.after(60))
        #expect(end.value.request == request.value.id && end.value.reason == .bySharer)
        #expect(self.followings.unsaidEnds.map(\.end) == [end])
        #expect(
            self.followings.scheduleRefusal(of: request.occurrence(1).value, now: self.after(3600)) == .scheduleEnded
        )
        self.followings.endSaid(of: request.value)
        #expect(self.followings.unsaidEnds.isEmpty)
        try self.followings.begin(request.occurrence(2))
        #expect(self.followings.schedules(now: self.after(7200)).isEmpty)
        #expect(
            self.followings.scheduleRefusal(of: request.occurrence(2).value, now: self.after(7200)) == .scheduleEnded
        )
        // Only once: a second end reports nothing new.
        _ = try self.followings.end(request.value, .bySharer, now: self.after(61))
        #expect(try self.entries().map(\.event) == [.over(.bySharer)])
    }

    /// Goal: the end of a schedule does not end another one to which its requester gave the same ID.
    @Test func theSameIDWithOtherBytesIsAnotherSchedule() throws {
        let first = try self.request()
        let second = try Pair().scheduleRequest(publicKey: Array(repeating: 10, count: 32))
        try self.followings.begin(first)
        try self.followings.begin(second.occurrence(3))
        #expect(Set(self.followings.schedules(now: self.after(60))) == [first, second])
        _ = try self.followings.end(first.value, .bySharer, now: self.after(60))
        self.followings.endSaid(of: first.value)
        #expect(self.followings.schedules(now: self.after(60)) == [second])
        #expect(self.followings.scheduleRefusal(of: first.occurrence(1).value, now: self.after(3600)) == .scheduleEnded)
        #expect(self.followings.scheduleRefusal(of: second.occurrence(4).value, now: self.after(3600)) == nil)
    }

    @Test func theEndOfAFollowingIsInTheJournal() throws {
        let request = try Pair().followRequest(publicKey: Array(repeating: 9, count: 32), at: .now)
        try self.followings.begin(request)
        self.followings.concluded(request.value, .byFollower, now: .now)
        self.followings.concluded(request.value, .lost, now: .now)
        #expect(try self.entries().map(\.event) == [.over(.byFollower)])
        #expect(self.profile.followers().isEmpty)
    }

    @Test func anOwnScheduleIsKeptWithItsKeyUntilNothingCanBeFetched() throws {
        let key = try HPKESealing().makeKey(suite: .xWing)
        let request = try Pair().scheduleRequest(suite: .xWing, publicKey: key.publicKey)
        try self.schedules.keep(OwnSchedule(request, key))
        let kept = try #require(self.schedules.schedule(request.value.id))
        #expect(kept.request == request && kept.key == key)
        let schedule = try #require(SharedSchedule(request.value))
        #expect(self.profile.seenOccurrence(of: schedule) == 0)
        try self.profile.sawOccurrences(of: schedule, through: 7)
        #expect(self.profile.seenOccurrence(of: schedule) == 7)
        // It ends by its time, or by the last message.
        let end = try #require(request.value.scheduleEnd)
        #expect(self.schedules.ended(schedule, now: end.advanced(by: .milliseconds(-1))) == nil)
        #expect(self.schedules.ended(schedule, now: end) == .time)
        self.schedules.told(.bySharer, of: schedule.request)
        #expect(self.schedules.ended(schedule, now: self.issued) == .bySharer)
        self.schedules.told(nil, of: schedule.request)
        #expect(self.schedules.ended(schedule, now: self.issued) == nil)
        self.schedules.told(.byFollower, of: schedule.request)
        let last = end.advanced(by: ScheduleRecord.kept)
        #expect(self.schedules.all(now: last.advanced(by: .milliseconds(-1))).count == 1)
        #expect(self.schedules.all(now: last).isEmpty)
        #expect(self.schedules.schedule(request.value.id) == nil && self.profile.seenOccurrence(of: schedule) == 0)
        #expect(self.schedules.ended(schedule, now: self.issued) == nil)
        self.schedules.told(.byFollower, of: schedule.request)
        #expect(
            self.schedules.ended(schedule, now: self.issued) == nil,
            "a schedule that is deleted is not begun again"
        )
    }

    /// Goal: an occurrence that the server omits is reported as failed, once its time is over.
    @Test func occurrencesThatTheServerIsSilentOfAreNamed() throws {
        let request = try self.request().value
        func occurrence(_ number: UInt16) -> ScheduleOccurrence {
            let state = RequestState(.answered, at: self.issued, reason: "")
            return ScheduleOccurrence(
                number: number,
                time: request.occurrence(number).issued,
                state: state,
                answer: nil
            )
        }
        let account = ScheduleAccount(of: request, after: 1, now: self.after(5 * 3600 + 60))
        let filled = account.filled([occurrence(2), occurrence(4)])
        #expect(filled.map(\.number) == [2, 3, 4])
        #expect(filled[1].state.kind == .failed && filled[1].time == self.after(3 * 3600))
        #expect(ScheduleAccount(of: request, after: 4, now: self.after(5 * 3600 + 60)).filled([]).isEmpty)
        #expect(ScheduleAccount(of: request, after: 4, now: self.after(5 * 3600 + 600)).filled([]).map(\.number) == [5])
    }
}
