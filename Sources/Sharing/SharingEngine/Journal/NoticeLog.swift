public import WhereaboutsVocabulary

/// When a person is notified of the answers that their device gave.
public enum NoticePace: UInt8, Sendable, Hashable, CaseIterable {
    /// Notify about each answer at once.
    case atOnce = 0
    /// Notify once a day, with a summary of all answers.
    case daily = 1
}

/// A notice for a person, about the answers that their device gave.
public enum Notice: Sendable, Hashable {
    case answer(JournaledRequest)
    /// Sum up the answers of a period by requester, the most frequent first.
    case sum(since: WallTime, answers: [Count])

    /// How many answers a requester got.
    public struct Count: Sendable, Hashable {
        /// The requester.
        public let requester: PublicIdentity
        /// How many of the answers held a position.
        public fileprivate(set) var positions: Int
        /// How many of the answers contained no position.
        public fileprivate(set) var others: Int
    }
}

/// The record of the notices that a person received, shared by the processes of their app.
package struct NoticeLog: Sendable, Hashable {
    /// The period of a daily summary.
    package static let day: Duration = .seconds(86_400)

    /// How the person wants to be notified.
    package private(set) var pace: NoticePace
    /// The number of the last line that a notification covered.
    package private(set) var told: UInt64
    /// When the person was last notified; nil before the first time.
    package private(set) var since: WallTime?

    /// Restores a stored record.
    package init(pace: NoticePace = .atOnce, told: UInt64 = 0, since: WallTime? = nil) {
        self.pace = pace
        self.told = told
        self.since = since
    }

    /// Records the person's choice.
    package mutating func chosen(_ pace: NoticePace) { self.pace = pace }

    /// Returns the notice for the person, and records that it was shown.
    ///
    /// - Parameters:
    ///   - lines: the lines of the journal after ``told``.
    ///   - now: the time.
    /// - Returns: the notices; none if there are no new answers, or the day is not over.
    package mutating func looked(at lines: [JournalLine], now: WallTime) -> [Notice] {
        let requests = JournaledRequest.gathered(from: lines.filter { $0.number > self.told })
        guard let first = requests.first, let last = lines.last else { return [] }
        let since = self.since ?? first.time
        switch self.pace {
        case .atOnce: break
        case .daily:
            let elapsed = since.duration(to: now)
            // After the clock was set back, show the daily sum now, not only once the clock has caught up.
            guard elapsed >= Self.day || elapsed < .zero else {
                self.since = since
                return []
            }
        }
        self.told = last.number
        self.since = now
        return self.pace == .atOnce ? requests.map(Notice.answer) : [.sum(since: since, answers: Self.counts(requests))]
    }

    private static func counts(_ requests: [JournaledRequest]) -> [Notice.Count] {
        var counts: [Notice.Count] = []
        for request in requests {
            var place = counts.firstIndex { $0.requester == request.requester }
            if place == nil {
                counts.append(Notice.Count(requester: request.requester, positions: 0, others: 0))
                place = counts.count - 1
            }
            guard let place else { continue }
            switch request.content {
            case .fix: counts[place].positions += 1
            case .refusal, .unavailable: counts[place].others += 1
            }
        }
        return counts.sorted { ($0.positions, $0.others) > ($1.positions, $1.others) }
    }
}
