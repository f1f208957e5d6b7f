/// One open stream of a request's states: each is told once, from the first on, and nothing follows the final one.
///
/// A wake-up says only that something may have changed, so a lost one costs the time until the next look.
package struct StateFeed: Sendable, Hashable {
    /// One state as the stream carries it.
    package struct Event: Sendable, Hashable {
        package let state: RequestState
        /// The signed answer; with the kind `answered` only.
        package let answer: [UInt8]?

        package init(state: RequestState, answer: [UInt8]?) {
            self.state = state
            self.answer = answer
        }
    }

    /// How long a stream waits for a wake-up before it looks unasked, and says a word so that a dead connection shows.
    ///
    /// Source: our choice; a sixth of the allowance.
    package static let pollInterval: Duration = .seconds(5)

    private var told = 0

    /// Creates the feed of a stream that has told nothing.
    package init() {}

    /// Actions returned by ``looked(at:)``.
    package enum OnLooked: Sendable, Hashable {
        /// Tell these, of which there may be none, and go on.
        case tell([Event])
        /// Tell these, and end the stream.
        case finish([Event])
    }

    /// Records what the store has of the request; nil when it was deleted.
    package mutating func looked(at record: RequestRecord?) -> OnLooked {
        guard let record else { return .finish([]) }
        let events = record.life.history.dropFirst(self.told).map { state in
            Event(state: state, answer: state.kind == .answered ? record.answer : nil)
        }
        self.told = record.life.history.count
        return record.life.deadline == nil ? .finish(events) : .tell(events)
    }
}
