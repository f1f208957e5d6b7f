internal import Foundation
internal import WhereaboutsDurableStorage
package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

/// The live shares and schedules of the profile's device: the extension adds them, the app updates them, and the person
/// ends them.
package struct FollowingFiles: Sendable {
    private let folder: ProfileFolder
    private let journal: JournalFiles

    init(journal: JournalFiles) {
        self.folder = journal.folder.folder("followings")
        self.journal = journal
    }

    /// The file of a live share or schedule, named after the digest of the first request.
    private static func file(_ request: Request) -> String { request.occurrence(0).digest.fileName }
    private static func run(_ request: Request) -> String { self.file(request) + ".run" }
    private static func end(_ request: Request) -> String { self.file(request) + ".end" }
    private static func saidEnd(_ request: Request) -> String { self.file(request) + ".ended" }

    /// The requests of current live shares, in their order; old ones are deleted.
    package func followings(now: WallTime) -> [Signed<Request>] {
        self.goingOn(now: now).filter { $0.value.followMinutes != nil }
    }

    /// The requests of current schedules, in their order; old ones are deleted.
    package func schedules(now: WallTime) -> [Signed<Request>] {
        self.goingOn(now: now).filter { $0.value.repetition != nil }
    }

    private func goingOn(now: WallTime) -> [Signed<Request>] {
        self.kept.filter { signed in
            let request = signed.value
            let end = request.followingEnd ?? request.scheduleEnd ?? now
            // The live share may have ended while no app ran. Keep its files for a while, because its end may have to be sent.
            if end.advanced(by: FollowingRecord.endKept) <= now { self.concluded(request, .time, now: now) }
            return now < end && !self.hasEnded(request)
        }
    }

    /// Whether this device has ended a live share or a schedule.
    package func hasEnded(_ request: Request) -> Bool {
        [Self.end(request), Self.saidEnd(request)].contains(where: self.folder.has)
    }

    /// The requests of all files, in the order in which they were issued.
    private var kept: [Signed<Request>] {
        self.folder.names.compactMap { name -> Signed<Request>? in
            let signed: Signed<Request>? = self.folder.signed(name)
            return signed.flatMap { name == Self.file($0.value) ? $0 : nil }
        }
        .sorted { ($0.value.issued, "\($0.value.id)") < ($1.value.issued, "\($1.value.id)") }
    }

    /// Returns why a live share cannot be the device's next one, if there is a reason.
    package func followingRefusal(of request: Request, now: WallTime) -> Refusal? {
        let others = self.followings(now: now).count { $0.value != request }
        return others < Following.followersMax ? nil : .tooManyFollowers
    }

    /// Returns why a request may not start a schedule or belong to one, if there is a reason.
    package func scheduleRefusal(of request: Request, now: WallTime) -> Refusal? {
        guard !self.hasEnded(request) else { return .scheduleEnded }
        let others = self.schedules(now: now).count { $0.value != request.occurrence(0) }
        return others < SharingPolicy.schedulesPerSharerMax ? nil : .tooManySchedules
    }

    /// Adds a live share or a schedule, before the answer that starts it is sent.
    package func begin(_ begun: Signed<Request>) throws {
        let file = Self.file(begun.value)
        guard !self.folder.has(file) else { return }
        try self.folder.add(file, begun.occurrence(0).bytes)
    }

    /// Numbers a run of the app for a live share, and stores the number before any update of the run is sent.
    ///
    /// - Throws: when the number cannot be stored; the follower would treat the run's updates as old ones.
    package func nextRun(of following: Request) throws -> UInt32 {
        let file = Self.run(following)
        let last = self.folder.bytes(of: file) ?? []
        var reader = ByteReader(last.isEmpty ? [0, 0, 0, 0] : last, name: self.folder.path(of: file))
        let run: UInt32 = try reader.integer() &+ 1
        var writer = ByteWriter()
        writer.integer(run)
        try self.folder.replace(file, writer.bytes)
        return run
    }

    /// Ends a live share or a schedule on this device permanently; the server must be notified.
    ///
    /// - Returns: the signed end; the earlier one, if there is one.
    package func end(_ request: Request, _ reason: FollowingEnd.Reason, now: WallTime) throws -> Signed<FollowingEnd> {
        if let end: Signed<FollowingEnd> = self.folder.signed(Self.end(request))
            ?? self.folder.signed(Self.saidEnd(request))
        {
            return end
        }
        let author = self.journal.identity
        let end = try author.sign(
            FollowingEnd(request: request.firstID, author: author.publicIdentity, time: now, reason: reason)
        )
        try self.folder.replace(Self.end(request), end.bytes)
        self.journal(reason, of: request, now: now)
        return end
    }

    /// Records the end of a live share or a schedule by the other side or by time, and deletes its files.
    package func concluded(_ request: Request, _ reason: FollowingEnd.Reason, now: WallTime) {
        if self.folder.has(Self.file(request)), !self.hasEnded(request) { self.journal(reason, of: request, now: now) }
        self.forget(request)
    }

    /// Writes the end into the journal; the share ends even if the journal refuses the line.
    private func journal(_ reason: FollowingEnd.Reason, of request: Request, now: WallTime) {
        try? self.journal.append(JournalEntry(reason, of: request, at: now))
    }

    /// Records that the server has confirmed an end.
    ///
    /// The end of a schedule is stored for as long as the server could still send the schedule's requests.
    package func endSaid(of request: Request) {
        guard request.repetition != nil else { return self.forget(request) }
        let (end, saidEnd) = (self.folder.path(of: Self.end(request)), self.folder.path(of: Self.saidEnd(request)))
        try? FileManager.default.moveItem(atPath: end, toPath: saidEnd)
    }

    /// The ends that the server has not confirmed, with the requests that they end.
    package var unsaidEnds: [(request: Request, end: Signed<FollowingEnd>)] {
        self.kept.compactMap { signed in self.folder.signed(Self.end(signed.value)).map { (signed.value, $0) } }
    }

    /// Deletes a live share or a schedule that has ended for both sides.
    package func forget(_ request: Request) {
        // Delete the end last: after a crash, a request without its end would continue.
        self.folder.remove(Self.file(request), Self.run(request), Self.end(request), Self.saidEnd(request))
    }
}
