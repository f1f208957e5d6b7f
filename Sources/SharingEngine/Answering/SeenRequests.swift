package import Vocabulary

/// The requests that a device has received: each is answered once.
///
/// An id is kept for as long as a request of that id can be within its time, which is bounded; so is their number, since
/// whoever holds a grant may ask as often as the server lets them. At the bound nothing more is answered: to forget the oldest
/// instead would let a flood open the door to its replays.
///
/// It is on disk before the answer is sealed: a device that dies between the two answers once or never.
package struct SeenRequests: Sendable, Hashable {
    /// One request and when it came.
    package struct Entry: Sendable, Hashable {
        /// The request.
        package let id: RequestID
        /// When it came, by the device's clock, in whole milliseconds.
        package let time: WallTime

        /// Creates an entry.
        package init(id: RequestID, time: WallTime) {
            self.id = id
            self.time = time.wholeMilliseconds
        }
    }

    /// The most ids kept.
    ///
    /// Source: our choice; a server with our bounds lets through 16 at a time, of 30 s each, for 12 minutes: 384.
    package static let countMax = 1024

    /// The requests, in the order in which they came.
    package private(set) var entries: [Entry]

    /// Brings back what was kept.
    package init(restoring entries: [Entry] = []) {
        self.entries = entries
    }

    /// Actions returned by ``received(_:policy:now:)``.
    package enum OnReceived: Sendable, Hashable {
        /// Write the entries to disk, then answer.
        case remember
        /// Answer nothing: it came before.
        case replayed
        /// Answer nothing: as many are kept as may be.
        case full
    }

    /// Records a request.
    package mutating func received(_ id: RequestID, policy: SharingPolicy, now: WallTime) -> OnReceived {
        guard !self.entries.contains(where: { $0.id == id }) else { return .replayed }
        let kept = policy.lifetimeMax + policy.clockSkewMax
        // One from further ahead than that was dated by a clock that has been set back since; kept, it would be so for ever.
        self.entries.removeAll { abs($0.time.duration(to: now)) > kept }
        guard self.entries.count < Self.countMax else { return .full }
        self.entries.append(Entry(id: id, time: now))
        return .remember
    }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
