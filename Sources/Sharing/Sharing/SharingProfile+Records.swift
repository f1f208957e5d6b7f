public import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The answers, live shares, schedules and alerts of the device, for apps and commands.
extension SharingProfile {
    /// Reads the journal, and checks that it is whole.
    ///
    /// - Throws: ``SharingError`` when the disk cannot be read.
    public func journal() throws -> Journal { try self.journalFiles.journal() }

    /// Chooses how the person is notified of the answers that their device gives.
    public func tell(_ pace: NoticePace) throws { try self.journalFiles.tell(pace) }

    /// Returns the new notices for the person; each answer is reported only once, to whichever process asks first.
    ///
    /// An app calls this when it is launched, and its extension after each answer; both show the notices.
    ///
    /// - Throws: ``SharingError`` when the disk fails; the next call returns the notices.
    public func news() throws -> [Notice] { try self.journalFiles.news(now: .now) }

    /// The questions that the person may answer now, the most urgent first.
    ///
    /// An app reads them when it is opened, and every half second while it is on the screen.
    public func questions() -> [Question] { self.questionFiles.all(now: .now) }

    /// Records the person's answer.
    ///
    /// - Throws: ``SharingError`` when no process waits for the answer any more, or the answer cannot be stored.
    public func answer(_ question: Question, isAllowed: Bool) throws {
        try self.questionFiles.answer(question, isAllowed: isAllowed)
    }

    // MARK: Live shares and schedules

    /// The people who follow the device now, in the order in which they began.
    public func followers() -> [Follower] { self.followings.followings(now: .now).map { Follower($0.value) } }

    /// The schedules that ask the device now, in the order in which they began.
    public func incomingSchedules() -> [SharedSchedule] {
        self.followings.schedules(now: .now).compactMap { SharedSchedule($0.value) }
    }

    /// The schedules with answers to fetch, in their order.
    ///
    /// A schedule that the server deleted is deleted here, too.
    public func outgoingSchedules() -> [SharedSchedule] {
        self.schedules.all(now: .now).compactMap { SharedSchedule($0.request.value) }
    }

    /// Why a schedule of this profile ended: its time, a local end, or the server's report; nil while it continues.
    public func ended(_ schedule: SharedSchedule) -> FollowingEnd.Reason? {
        self.schedules.ended(schedule, now: .now)
    }

    /// The number of the last occurrence that the person was shown; 0 before the first.
    public func seenOccurrence(of schedule: SharedSchedule) -> UInt16 {
        self.schedules.seenOccurrence(of: schedule.request)
    }

    /// Records the last occurrence that the person was shown; if the record is lost, they are shown occurrences again.
    public func sawOccurrences(of schedule: SharedSchedule, through occurrence: UInt16) throws {
        try self.schedules.sawOccurrences(of: schedule.request, through: occurrence)
    }

    // MARK: Emergencies

    /// The alerts of the last hour, the newest first; an older one is deleted.
    ///
    /// An app reads them when it is opened, and every second while it is on the screen.
    public func alerts() -> [EmergencyAlert] { self.alertFiles.all(now: .now) }

    /// The person's terms as a volunteer; nil if the person is not enrolled.
    ///
    /// - Throws: ``SharingError`` when the file is damaged.
    public func volunteerTerms() throws -> VolunteerTerms? { try self.volunteerFile.terms() }
}
