internal import WhereaboutsDurableStorage
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The schedules of the person of this profile.
extension SharingProfile {
    private var timersDirectory: String { self.path + "/timers" }

    private func timerFile(_ timer: RequestID) -> String { "\(self.timersDirectory)/\(timer)" }
    private func seenFile(_ timer: RequestID) -> String { self.timerFile(timer) + ".seen" }
    private func endFile(_ timer: RequestID) -> String { self.timerFile(timer) + ".ended" }

    /// The schedules with answers to fetch, in their order.
    ///
    /// A schedule that the server deleted is deleted here, too.
    public func outgoingTimers() -> [SharedTimer] {
        self.ownTimers(now: .now).compactMap { SharedTimer($0.request.value) }
    }

    func ownTimers(now: WallTime) -> [OwnTimer] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.timersDirectory)) ?? []
        let timers = names.compactMap { name in RequestID(name).flatMap { self.ownTimer($0) } }
        return timers.filter { timer in
            guard let end = timer.request.value.timerEnd, end.advanced(by: TimerRecord.kept) > now else {
                self.dropTimer(timer.request.value.id)
                return false
            }
            return true
        }
        .sorted { $0.place < $1.place }
    }

    func ownTimer(_ id: RequestID) -> OwnTimer? {
        FileManager.default.contents(atPath: self.timerFile(id)).flatMap { try? OwnTimer(bytes: [UInt8]($0)) }
    }

    func keep(_ timer: OwnTimer) throws {
        try ProfileFile.makeDirectory(self.timersDirectory)
        try ProfileFile.replace(self.timerFile(timer.request.value.id), timer.bytes)
    }

    func dropTimer(_ id: RequestID) {
        for path in [self.timerFile(id), self.seenFile(id), self.endFile(id)] {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Why a schedule of this profile ended: its time, a local end, or the server's report; nil while it continues.
    public func ended(_ timer: SharedTimer) -> FollowingEnd.Reason? { self.ended(timer, now: .now) }

    func ended(_ timer: SharedTimer, now: WallTime) -> FollowingEnd.Reason? {
        let bytes = FileManager.default.contents(atPath: self.endFile(timer.request)) ?? Data()
        let told = bytes.count == 1 ? bytes.first.flatMap { FollowingEnd.Reason(rawValue: $0) } : nil
        return told ?? (timer.repetition.until <= now ? .time : nil)
    }

    /// Records the end of a schedule, or that it continues; if the record is lost, the server is asked again.
    func told(_ reason: FollowingEnd.Reason?, of timer: RequestID) {
        // Do not recreate a schedule that was deleted meanwhile.
        guard FileManager.default.fileExists(atPath: self.timerFile(timer)) else { return }
        if let reason {
            try? ProfileFile.replace(self.endFile(timer), [reason.rawValue], .process)
        } else {
            try? FileManager.default.removeItem(atPath: self.endFile(timer))
        }
    }

    /// The number of the last occurrence that the person was shown; 0 before the first.
    public func seenTurn(of timer: SharedTimer) -> UInt16 {
        let text = try? String(contentsOfFile: self.seenFile(timer.request), encoding: .utf8)
        return text.flatMap { UInt16($0) } ?? 0
    }

    /// Records the last occurrence that the person was shown; if the record is lost, they are shown occurrences again.
    public func sawTurns(of timer: SharedTimer, through turn: UInt16) throws {
        try ProfileFile.replace(self.seenFile(timer.request), Array("\(turn)".utf8), .process)
    }
}
