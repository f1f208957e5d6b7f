package import SharingEngine
package import Vocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The followings of the home's device: the extension adds them, the app tells where the device is, and the person ends them; they share files alone.
extension SharingHome {
    private var directory: String { self.path + "/followings" }

    private func file(of following: RequestID) -> String { "\(self.directory)/\(following)" }
    private func fileOfRun(of following: RequestID) -> String { self.file(of: following) + ".run" }
    private func fileOfEnd(of following: RequestID) -> String { self.file(of: following) + ".end" }

    /// The people who follow the device now, in the order in which they began.
    public func followers() -> [Follower] { self.followings(now: .now).map { Follower($0.value) } }

    /// The requests whose followings go on, in the order in which they began; what is long over is deleted.
    package func followings(now: WallTime) -> [Signed<Request>] {
        self.kept.filter { signed in
            let end = signed.value.followingEnd ?? now
            // Without an app that ran at its end; one that is to be said is tried for a while.
            if end.advanced(by: FollowingRecord.endKept) <= now { self.forget(signed.value.id) }
            return now < end && !FileManager.default.fileExists(atPath: self.fileOfEnd(of: signed.value.id))
        }
    }

    /// The requests of all files, in the order in which they were issued.
    private var kept: [Signed<Request>] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        return names.compactMap { name -> Signed<Request>? in
            guard let id = RequestID(name), let bytes = FileManager.default.contents(atPath: self.file(of: id)) else {
                return nil
            }
            return try? Signed<Request>(bytes: [UInt8](bytes))
        }
        .sorted { ($0.value.issued, "\($0.value.id)") < ($1.value.issued, "\($1.value.id)") }
    }

    /// Why nobody may begin to follow with a request, if there is a reason.
    package func followingRefusal(of request: Request, now: WallTime) -> Refusal? {
        guard self.handsOver else { return .cannotBeFollowed }
        let others = self.followings(now: now).count { $0.value.id != request.id }
        return others < Following.followersMax ? nil : .tooManyFollowers
    }

    /// Adds a following whose first answer is about to leave.
    package func begin(_ following: Signed<Request>) throws {
        let id = following.value.id
        guard !FileManager.default.fileExists(atPath: self.file(of: id)) else { return }
        if !FileManager.default.fileExists(atPath: self.directory) {
            try FileManager.default.createDirectory(
                atPath: self.directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try HomeFile.replace(self.file(of: id), following.bytes)
    }

    /// Counts a run of the app for a following, on disk before any update of the run leaves.
    ///
    /// - Throws: when the count cannot be kept; the follower would take the run's updates for old ones.
    package func nextRun(of following: RequestID) throws -> UInt32 {
        let path = self.fileOfRun(of: following)
        let last = (FileManager.default.contents(atPath: path)).map { [UInt8]($0) } ?? []
        var reader = ByteReader(last.isEmpty ? [0, 0, 0, 0] : last, name: path)
        let run: UInt32 = try reader.integer() &+ 1
        var writer = ByteWriter()
        writer.integer(run)
        try HomeFile.replace(path, writer.bytes)
        return run
    }

    /// Ends a following on this device, for good; the server is to be told.
    ///
    /// - Returns: the signed end: the first one, if there was one.
    package func end(_ request: Request, _ reason: FollowingEnd.Reason, now: WallTime) throws -> Signed<FollowingEnd> {
        let path = self.fileOfEnd(of: request.id)
        if let kept = FileManager.default.contents(atPath: path),
            let end = try? Signed<FollowingEnd>(bytes: [UInt8](kept))
        {
            return end
        }
        let end = try self.identity.sign(
            FollowingEnd(request: request.id, author: self.identity.publicIdentity, time: now, reason: reason)
        )
        try HomeFile.replace(path, end.bytes)
        return end
    }

    /// The ends that the server was not told.
    package var unsaidEnds: [Signed<FollowingEnd>] {
        self.kept.compactMap { signed in
            FileManager.default.contents(atPath: self.fileOfEnd(of: signed.value.id))
                .flatMap { try? Signed<FollowingEnd>(bytes: [UInt8]($0)) }
        }
    }

    /// Forgets a following that is over for both sides.
    package func forget(_ following: RequestID) {
        // The end last: without it, a following that is still there would go on.
        for path in [
            self.file(of: following), self.fileOfRun(of: following), self.fileOfEnd(of: following),
        ] {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
