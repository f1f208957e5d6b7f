/// One open stream of a following's updates: the newest one when it opens, then each newer one, and the end.
///
/// Updates between two looks are not told, since only the newest one is kept: the follower sees it by the numbers within.
package struct FollowingFeed: Sendable, Hashable {
    private var told: UInt64 = 0

    /// Creates the feed of a stream that has told nothing.
    package init() {}

    /// Actions returned by ``looked(at:_:)``.
    package enum OnLooked: Sendable, Hashable {
        /// Tell this update, if there is one, and go on.
        case tell([UInt8]?)
        /// Tell the end, and end the stream.
        case finish(FollowingEnd.Reason, statement: [UInt8]?)
        /// End the stream: the following is not kept any more.
        case close
    }

    /// Records how the following stands, and its newest update.
    package mutating func looked(at standing: LiveShareState, _ newest: UpdateBoard.Shown?) -> OnLooked {
        switch standing {
        case .unknown: return .close
        case .ended(let reason, let statement): return .finish(reason, statement: statement)
        case .goesOn:
            // A place below the last one is that of a board that began again with the server, whose streams end with it.
            guard let newest, newest.place != self.told else { return .tell(nil) }
            self.told = newest.place
            return .tell(newest.update)
        }
    }
}
