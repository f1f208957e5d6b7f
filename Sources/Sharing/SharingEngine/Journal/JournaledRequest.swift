public import WhereaboutsVocabulary

/// A request and what became of it, gathered from the lines of a journal.
public struct JournaledRequest: Sendable, Hashable {
    /// The number of the line that says what was answered.
    public let line: UInt64
    /// When it was answered.
    public let time: WallTime
    /// The request.
    public let request: RequestID
    /// The grant that it was made under.
    public let grant: GrantID
    /// The one who asked.
    public let requester: PublicIdentity
    /// How exactly they asked.
    public let asked: Precision
    /// The answer.
    public let content: Answer.Content
    /// The timer that it is a turn of; nil when its requester asked by themselves.
    public let timer: RequestID?
    /// The answer's end; nil while it is on its way, or when the device could not find out.
    public fileprivate(set) var end: JournalEntry.End?
    /// When and why the following or the timer that it began was over; nil without one, and while it goes on.
    public fileprivate(set) var over: Over?

    /// The end of a following or a timer.
    public struct Over: Sendable, Hashable {
        /// When the device knew of it.
        public let time: WallTime
        /// Why it is over.
        public let reason: FollowingEnd.Reason
    }
}

extension JournaledRequest {
    /// Gathers the requests of some lines, in the order in which they were answered.
    package static func gathered(from lines: [JournalLine]) -> [JournaledRequest] {
        var requests: [JournaledRequest] = []
        var places: [RequestID: Int] = [:]
        for line in lines {
            let entry = line.entry
            switch entry.event {
            case .answered(let content, let requester, let asked):
                places[entry.request] = requests.count
                requests.append(
                    JournaledRequest(
                        line: line.number,
                        time: entry.time,
                        request: entry.request,
                        grant: entry.grant,
                        requester: requester,
                        asked: asked,
                        content: content,
                        timer: entry.timer,
                        end: nil,
                        over: nil
                    )
                )
            case .ended(let end):
                // The line that said what was answered may have been dropped for room.
                if let place = places[entry.request] { requests[place].end = end }
            case .over(let reason):
                let over = Over(time: entry.time, reason: reason)
                if let place = places[entry.request] { requests[place].over = over }
            }
        }
        return requests
    }
}
