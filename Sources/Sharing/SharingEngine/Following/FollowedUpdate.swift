public import WhereaboutsVocabulary

/// One update of a live share, before it is sealed for its follower; its time is whole milliseconds.
public struct FollowedUpdate: Sendable, Hashable {
    /// The position of an update within its live share, which reveals repeated, reordered or dropped updates.
    ///
    /// A run is one process of the sharer's app. The app stores the number of each run, but not of each update.
    public struct Number: Sendable, Hashable, Comparable {
        /// The number of the app's run, from 1.
        public let run: UInt32
        /// The number of the update in its run, from 0.
        public let count: UInt32

        /// Creates a number.
        public init(run: UInt32, count: UInt32) {
            self.run = run
            self.count = count
        }

        /// Compares by run, then by count.
        public static func < (lhs: Number, rhs: Number) -> Bool { (lhs.run, lhs.count) < (rhs.run, rhs.count) }

        /// How many updates are missing between an earlier one and this, as far as this is known: the number of
        /// updates in an earlier run is unknown.
        package func missed(after earlier: Number?) -> UInt32 {
            guard let earlier, earlier.run == self.run else { return self.count }
            return self.count - earlier.count - 1
        }
    }

    /// The position within the live share.
    public let number: Number
    /// When the update was made, by the device's clock.
    public let time: WallTime
    /// The seconds within which another update should come; a longer silence means a loss.
    public let silenceMax: UInt16
    /// Where the device is.
    public let place: FollowedPlace

    /// Creates an update.
    public init(number: Number, time: WallTime, silenceMax: UInt16, place: FollowedPlace) {
        self.number = number
        self.time = time.wholeMilliseconds
        self.silenceMax = silenceMax
        self.place = place
    }
}
