internal import Foundation
internal import WhereaboutsDurableStorage
package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

/// The live shares and schedules of the profile's device: the extension adds them, the app updates them, and the person
/// ends them, through shared files.
extension SharingProfile {
    private var directory: String { self.path + "/followings" }

    /// The file of a live share or schedule, named after the digest of the first request.
    private func file(of request: Request) -> String {
        "\(self.directory)/\(request.occurrence(0).digest.fileName)"
    }

    private func fileOfRun(of request: Request) -> String { self.file(of: request) + ".run" }
    private func fileOfEnd(of request: Request) -> String { self.file(of: request) + ".end" }
    private func fileOfSaidEnd(of request: Request) -> String { self.file(of: request) + ".ended" }

    /// The people who follow the device now, in the order in which they began.
    public func followers() -> [Follower] { self.followings(now: .now).map { Follower($0.value) } }

    /// The schedules that ask the device now, in the order in which they began.
    public func incomingSchedules() -> [SharedSchedule] {
        self.schedules(now: .now).compactMap { SharedSchedule($0.value) }
    }

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
            return now < end && !self.isEnded(request)
        }
    }

    /// Whether this device has ended a live share.
    package func hasEnded(_ following: Request) -> Bool { self.isEnded(following) }

    private func isEnded(_ request: Request) -> Bool {
        [self.fileOfEnd(of: request), self.fileOfSaidEnd(of: request)].contains {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// The requests of all files, in the order in which they were issued.
    private var kept: [Signed<Request>] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        return names.compactMap { name -> Signed<Request>? in
            let path = "\(self.directory)/\(name)"
            guard let bytes = FileManager.default.contents(atPath: path),
                let signed = try? Signed<Request>(bytes: [UInt8](bytes)), path == self.file(of: signed.value)
            else { return nil }
            return signed
        }
        .sorted { ($0.value.issued, "\($0.value.id)") < ($1.value.issued, "\($1.value.id)") }
    }

    /// Why no live share may start with a request, if there is a reason.
    package func followingRefusal(of request: Request, now: WallTime) -> Refusal? {
        guard self.handsOver else { return .cannotBeFollowed }
        let others = self.followings(now: now).count { $0.value != request }
        return others < Following.followersMax ? nil : .tooManyFollowers
    }

    /// Why a request may not start a schedule or belong to one, if there is a reason.
    package func scheduleRefusal(of request: Request, now: WallTime) -> Refusal? {
        guard !self.isEnded(request) else { return .scheduleEnded }
        let others = self.schedules(now: now).count { $0.value != request.occurrence(0) }
        return others < SharingPolicy.schedulesPerSharerMax ? nil : .tooManySchedules
    }

    /// Adds a live share or a schedule, before the answer that starts it is sent.
    package func begin(_ begun: Signed<Request>) throws {
        let path = self.file(of: begun.value)
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try ProfileFile.makeDirectory(self.directory)
        try ProfileFile.replace(path, begun.occurrence(0).bytes)
    }

    /// Numbers a run of the app for a live share, and stores the number before any update of the run is sent.
    ///
    /// - Throws: when the number cannot be stored; the follower would treat the run's updates as old ones.
    package func nextRun(of following: Request) throws -> UInt32 {
        let path = self.fileOfRun(of: following)
        let last = (FileManager.default.contents(atPath: path)).map { [UInt8]($0) } ?? []
        var reader = ByteReader(last.isEmpty ? [0, 0, 0, 0] : last, name: path)
        let run: UInt32 = try reader.integer() &+ 1
        var writer = ByteWriter()
        writer.integer(run)
        try ProfileFile.replace(path, writer.bytes)
        return run
    }

    /// Ends a live share or a schedule on this device permanently; the server must be notified.
    ///
    /// - Returns: the signed end; the earlier one, if there is one.
    package func end(_ request: Request, _ reason: FollowingEnd.Reason, now: WallTime) throws -> Signed<FollowingEnd> {
        let path = self.fileOfEnd(of: request)
        for kept in [path, self.fileOfSaidEnd(of: request)] {
            if let bytes = FileManager.default.contents(atPath: kept),
                let end = try? Signed<FollowingEnd>(bytes: [UInt8](bytes))
            {
                return end
            }
        }
        let end = try self.identity.sign(
            FollowingEnd(request: request.firstID, author: self.identity.publicIdentity, time: now, reason: reason)
        )
        try ProfileFile.replace(path, end.bytes)
        self.journal(reason, of: request, now: now)
        return end
    }

    /// Records the end of a live share or a schedule by the other side or by time, and deletes its files.
    package func concluded(_ request: Request, _ reason: FollowingEnd.Reason, now: WallTime) {
        let isNews = FileManager.default.fileExists(atPath: self.file(of: request))
        if isNews, !self.isEnded(request) { self.journal(reason, of: request, now: now) }
        self.forget(request)
    }

    /// Writes the end into the journal; the share ends even if the journal refuses the line.
    private func journal(_ reason: FollowingEnd.Reason, of request: Request, now: WallTime) {
        try? FileLock.hold(self.path + "/answers.lock") {
            try self.journalFile.append(JournalEntry(reason, of: request, at: now), .power)
        }
    }

    /// Records that the server has confirmed an end.
    ///
    /// The end of a schedule is stored for as long as the server could still send the schedule's requests.
    package func endSaid(of request: Request) {
        guard request.repetition != nil else { return self.forget(request) }
        try? FileManager.default.moveItem(atPath: self.fileOfEnd(of: request), toPath: self.fileOfSaidEnd(of: request))
    }

    /// The ends that the server has not confirmed, with the requests that they end.
    package var unsaidEnds: [(request: Request, end: Signed<FollowingEnd>)] {
        self.kept.compactMap { signed in
            FileManager.default.contents(atPath: self.fileOfEnd(of: signed.value))
                .flatMap { try? Signed<FollowingEnd>(bytes: [UInt8]($0)) }
                .map { (signed.value, $0) }
        }
    }

    /// Deletes a live share or a schedule that has ended for both sides.
    package func forget(_ request: Request) {
        // Delete the end last: after a crash, a request without its end would continue.
        for path in [
            self.file(of: request), self.fileOfRun(of: request), self.fileOfEnd(of: request),
            self.fileOfSaidEnd(of: request),
        ] {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
