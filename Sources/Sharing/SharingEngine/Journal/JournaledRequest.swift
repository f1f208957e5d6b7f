public import WhereaboutsVocabulary

/// A request and its outcome, from the lines of a journal.
public struct JournaledRequest: Sendable, Hashable {
    /// The number of the line of the answer.
    public let line: UInt64
    /// When the request was answered.
    public let time: WallTime
    /// The request.
    public let request: RequestID
    /// The grant of the request.
    public let grant: GrantID
    /// The person who asked.
    public let requester: PublicIdentity
    /// The requested precision.
    public let asked: Precision
    /// The answer.
    public let content: Answer.Content
    /// The schedule to which the request belongs; nil when its requester asked directly.
    public let schedule: RequestID?
    /// The answer's outcome; nil while it is being sent, or when it is unknown.
    public fileprivate(set) var end: JournalEntry.End?
    /// When and why the request's live share or schedule ended; nil if there is none, or it continues.
    public fileprivate(set) var over: Over?

    /// The end of a live share or a schedule.
    public struct Over: Sendable, Hashable {
        /// When the device recorded the end.
        public let time: WallTime
        /// The reason of the end.
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
                        schedule: entry.schedule,
                        end: nil,
                        over: nil
                    )
                )
            case .ended(let end):
                // The line of the answer may have been removed because the journal was full.
                if let place = places[entry.request] { requests[place].end = end }
            case .over(let reason):
                let over = Over(time: entry.time, reason: reason)
                if let place = places[entry.request] { requests[place].over = over }
            }
        }
        return requests
    }
}
