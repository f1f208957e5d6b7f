package import WhereaboutsVocabulary

/// A schedule in the store: the request that started it, its next occurrence, and its end.
package struct ScheduleRecord: Sendable, Hashable {
    /// How long an occurrence or a schedule is stored after its end.
    ///
    /// The requester can fetch the answers for that long.
    ///
    /// Source: our choice; a requester's machine may be off for a weekend and some days.
    package static let kept: Duration = .seconds(7 * 86_400)
    /// The maximum number of stored occurrences of a schedule; beyond this, the oldest is deleted.
    ///
    /// Source: our choice; an occurrence each hour for a week, in 700 kB with the answers.
    package static let occurrencesMax = 168
    /// The maximum number of occurrences in one reply.
    ///
    /// Source: 2.3 kB each in JSON, within the 64 kB that clients read.
    package static let occurrencesPerReplyMax = 24

    /// The next occurrence of a schedule.
    package struct Next: Sendable, Hashable {
        /// The number of the occurrence, from 1.
        package let occurrence: UInt16
        package let time: WallTime

        /// Creates the next occurrence.
        package init(occurrence: UInt16, time: WallTime) {
            self.occurrence = occurrence
            self.time = time
        }
    }

    /// The first request, which has the number 0.
    package let request: Signed<Request>
    /// The next occurrence; nil when there is none.
    package var next: Next?
    /// The first signed end; nil while the schedule continues, or if it ended without one.
    package var end: FollowingRecord.End?
    package var keptUntil: WallTime

    package init(request: Signed<Request>, next: Next?, end: FollowingRecord.End?, keptUntil: WallTime) {
        self.request = request
        self.next = next
        self.end = end
        self.keptUntil = keptUntil
    }

    /// The ID of the schedule.
    package var id: RequestID { self.request.value.firstID }
}

/// The numbers of active schedules that ask one sharer.
package struct ScheduleLoad: Sendable, Hashable {
    package let ofSharer: Int
    /// The number of schedules under the grant.
    package let underGrant: Int

    package init(ofSharer: Int, underGrant: Int) {
        self.ofSharer = ofSharer
        self.underGrant = underGrant
    }
}

/// A schedule's occurrences as its requester may see them.
package enum ScheduleState: Sendable, Hashable {
    /// The schedule does not exist, or belongs to another requester.
    case unknown
    /// The stored occurrences, oldest first, and when the next one begins; or why the schedule ended, with the signed end
    /// if a side ended it.
    case occurrences([RequestRecord], next: WallTime?, ended: FollowingEnd.Reason?, statement: [UInt8]?)
}
