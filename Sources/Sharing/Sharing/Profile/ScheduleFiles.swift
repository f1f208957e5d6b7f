internal import WhereaboutsDurableStorage
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The schedules that the person started.
struct ScheduleFiles: Sendable {
    private let folder: ProfileFolder

    init(profile: ProfileFolder) { self.folder = profile.folder("schedules") }

    private static func seen(_ schedule: RequestID) -> String { "\(schedule).seen" }
    private static func end(_ schedule: RequestID) -> String { "\(schedule).ended" }

    /// Returns the schedules whose answers the server still has, sorted by time; deletes the others from this profile.
    func all(now: WallTime) -> [OwnSchedule] {
        let schedules = self.folder.names.compactMap { name in RequestID(name).flatMap { self.schedule($0) } }
        return schedules.filter { schedule in
            guard let end = schedule.request.value.scheduleEnd, end.advanced(by: ScheduleRecord.kept) > now else {
                self.drop(schedule.request.value.id)
                return false
            }
            return true
        }
        .sorted { $0.place < $1.place }
    }

    func schedule(_ id: RequestID) -> OwnSchedule? {
        self.folder.bytes(of: "\(id)").flatMap { try? OwnSchedule(bytes: $0) }
    }

    func keep(_ schedule: OwnSchedule) throws {
        try self.folder.add("\(schedule.request.value.id)", schedule.bytes)
    }

    func drop(_ id: RequestID) { self.folder.remove("\(id)", Self.seen(id), Self.end(id)) }

    func ended(_ schedule: SharedSchedule, now: WallTime) -> FollowingEnd.Reason? {
        let bytes = self.folder.bytes(of: Self.end(schedule.request)) ?? []
        let told = bytes.count == 1 ? FollowingEnd.Reason(rawValue: bytes[0]) : nil
        return told ?? (schedule.repetition.until <= now ? .time : nil)
    }

    /// Records the end of a schedule, or that it continues; if the record is lost, the server is asked again.
    func told(_ reason: FollowingEnd.Reason?, of schedule: RequestID) {
        // Do not recreate a schedule that was deleted meanwhile.
        guard self.folder.has("\(schedule)") else { return }
        if let reason {
            try? self.folder.replace(Self.end(schedule), [reason.rawValue], .process)
        } else {
            self.folder.remove(Self.end(schedule))
        }
    }

    func seenOccurrence(of schedule: RequestID) -> UInt16 {
        self.folder.text(of: Self.seen(schedule)).flatMap { UInt16($0) } ?? 0
    }

    func sawOccurrences(of schedule: RequestID, through occurrence: UInt16) throws {
        try self.folder.replace(Self.seen(schedule), Array("\(occurrence)".utf8), .process)
    }
}
