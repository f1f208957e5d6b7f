internal import Foundation
internal import WhereaboutsDurableStorage
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The schedules of the person of this profile.
extension SharingProfile {
    private var schedulesDirectory: String { self.path + "/schedules" }

    private func scheduleFile(_ schedule: RequestID) -> String { "\(self.schedulesDirectory)/\(schedule)" }
    private func seenFile(_ schedule: RequestID) -> String { self.scheduleFile(schedule) + ".seen" }
    private func endFile(_ schedule: RequestID) -> String { self.scheduleFile(schedule) + ".ended" }

    /// The schedules with answers to fetch, in their order.
    ///
    /// A schedule that the server deleted is deleted here, too.
    public func outgoingSchedules() -> [SharedSchedule] {
        self.ownSchedules(now: .now).compactMap { SharedSchedule($0.request.value) }
    }

    func ownSchedules(now: WallTime) -> [OwnSchedule] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.schedulesDirectory)) ?? []
        let schedules = names.compactMap { name in RequestID(name).flatMap { self.ownSchedule($0) } }
        return schedules.filter { schedule in
            guard let end = schedule.request.value.scheduleEnd, end.advanced(by: ScheduleRecord.kept) > now else {
                self.dropSchedule(schedule.request.value.id)
                return false
            }
            return true
        }
        .sorted { $0.place < $1.place }
    }

    func ownSchedule(_ id: RequestID) -> OwnSchedule? {
        FileManager.default.contents(atPath: self.scheduleFile(id)).flatMap { try? OwnSchedule(bytes: [UInt8]($0)) }
    }

    func keep(_ schedule: OwnSchedule) throws {
        try ProfileFile.makeDirectory(self.schedulesDirectory)
        try ProfileFile.replace(self.scheduleFile(schedule.request.value.id), schedule.bytes)
    }

    func dropSchedule(_ id: RequestID) {
        for path in [self.scheduleFile(id), self.seenFile(id), self.endFile(id)] {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Why a schedule of this profile ended: its time, a local end, or the server's report; nil while it continues.
    public func ended(_ schedule: SharedSchedule) -> FollowingEnd.Reason? { self.ended(schedule, now: .now) }

    func ended(_ schedule: SharedSchedule, now: WallTime) -> FollowingEnd.Reason? {
        let bytes = FileManager.default.contents(atPath: self.endFile(schedule.request)) ?? Data()
        let told = bytes.count == 1 ? bytes.first.flatMap { FollowingEnd.Reason(rawValue: $0) } : nil
        return told ?? (schedule.repetition.until <= now ? .time : nil)
    }

    /// Records the end of a schedule, or that it continues; if the record is lost, the server is asked again.
    func told(_ reason: FollowingEnd.Reason?, of schedule: RequestID) {
        // Do not recreate a schedule that was deleted meanwhile.
        guard FileManager.default.fileExists(atPath: self.scheduleFile(schedule)) else { return }
        if let reason {
            try? ProfileFile.replace(self.endFile(schedule), [reason.rawValue], .process)
        } else {
            try? FileManager.default.removeItem(atPath: self.endFile(schedule))
        }
    }

    /// The number of the last occurrence that the person was shown; 0 before the first.
    public func seenOccurrence(of schedule: SharedSchedule) -> UInt16 {
        let text = try? String(contentsOfFile: self.seenFile(schedule.request), encoding: .utf8)
        return text.flatMap { UInt16($0) } ?? 0
    }

    /// Records the last occurrence that the person was shown; if the record is lost, they are shown occurrences again.
    public func sawOccurrences(of schedule: SharedSchedule, through occurrence: UInt16) throws {
        try ProfileFile.replace(self.seenFile(schedule.request), Array("\(occurrence)".utf8), .process)
    }
}
