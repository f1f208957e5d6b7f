package import WhereaboutsVocabulary

/// A timer in the store: the request that started it, its next turn, and how it ended.
package struct TimerRecord: Sendable, Hashable {
    /// How long a turn is stored after its end, and a timer after its own.
    ///
    /// The requester can fetch the answers for that long.
    ///
    /// Source: our choice; a requester whose machine is off over a week-end, and some days.
    package static let kept: Duration = .seconds(7 * 86_400)
    /// The maximum number of stored turns of a timer; the oldest makes room.
    ///
    /// Source: our choice; a week of one an hour, in 700 kB with the answers.
    package static let turnsMax = 168
    /// The maximum number of turns in one reply.
    ///
    /// Source: 2.3 kB each in JSON, within the 64 kB that clients read.
    package static let turnsPerReplyMax = 24

    /// The next turn of a timer.
    package struct Next: Sendable, Hashable {
        /// The number of the turn, from 1.
        package let turn: UInt16
        package let time: WallTime

        /// Creates a turn to come.
        package init(turn: UInt16, time: WallTime) {
            self.turn = turn
            self.time = time
        }
    }

    /// The request that was asked first, its turn 0.
    package let request: Signed<Request>
    /// The next turn; nil when there is none.
    package var next: Next?
    /// The first signed end; nil while the timer runs, and when it ended by itself.
    package var end: FollowingRecord.End?
    package var keptUntil: WallTime

    package init(request: Signed<Request>, next: Next?, end: FollowingRecord.End?, keptUntil: WallTime) {
        self.request = request
        self.next = next
        self.end = end
        self.keptUntil = keptUntil
    }

    /// The name of the timer.
    package var id: RequestID { self.request.value.firstID }
}

/// The number of active timers that ask one sharer.
package struct TimerLoad: Sendable, Hashable {
    package let ofSharer: Int
    /// The number of timers under the grant.
    package let underGrant: Int

    package init(ofSharer: Int, underGrant: Int) {
        self.ofSharer = ofSharer
        self.underGrant = underGrant
    }
}

/// A timer's turns as its requester may see them.
package enum ScheduleState: Sendable, Hashable {
    /// The timer does not exist, or belongs to another requester.
    case unknown
    /// The stored turns, oldest first, and when the next one comes; or the timer is over, with the signed end if a side
    /// ended it.
    case turns([RequestRecord], next: WallTime?, ended: FollowingEnd.Reason?, statement: [UInt8]?)
}
