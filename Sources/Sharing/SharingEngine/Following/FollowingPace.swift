internal import WhereaboutsVocabulary

/// How soon a follower receives an update, and how long the device may then be silent.
///
/// The follower of a moving device receives each step of five metres or more. A device that stands still reports this once.
/// Keepalives come between two updates, so that a silent device differs from a still one. The numbers are in docs/protocol/sharing.md.
package enum FollowingPace {
    /// The minimum time between two updates to one follower, with up to ``shared`` followers; twice as many followers double it.
    ///
    /// Source: receivers give a fix each second.
    package static let step: Duration = .seconds(1)
    /// The number of followers who are updated at full pace.
    ///
    /// Source: our choice; four posts a second of 1.5 kB each keep a radio busy enough.
    package static let shared = 4
    /// The least movement that causes an update, in millimetres; less exact fixes must move by their own accuracy.
    ///
    /// Source: our choice; seven steps, more than the noise of a good receiver.
    package static let stepLength: Int64 = 5_000
    /// The time between two keepalives of a moving device, and between its updates to a follower who is not watching.
    package static let beat: Duration = .seconds(30)
    /// The time between two keepalives of a still device.
    package static let stillBeat: Duration = .seconds(300)
    /// The fixed time between two updates with reduced precision: an update at a cell's border would reveal the
    /// crossing.
    package static let reducedBeat: Duration = .seconds(300)
    /// The tolerated silence of a moving device: two keepalives may be lost.
    package static let silence: Duration = .seconds(90)
    /// The tolerated silence after an update with reduced precision.
    package static let reducedSilence: Duration = .seconds(900)
    /// The tolerated silence of a still device, whose app may be suspended.
    package static let stillSilence: Duration = .seconds(3600)

    /// The time after an update at which the next one is sent.
    ///
    /// - Parameters:
    ///   - told: the place that was reported last.
    ///   - place: the place now.
    ///   - isReduced: whether the follower may know the cell only.
    ///   - isWatched: whether the follower is watching.
    ///   - followers: the number of followers who are watching.
    /// - Returns: the time.
    package static func wait(
        after told: FollowedPlace,
        for place: FollowedPlace,
        isReduced: Bool,
        isWatched: Bool,
        followers: Int
    ) -> Duration {
        if isReduced { return self.reducedBeat }
        let shares = max(1, (followers + self.shared - 1) / self.shared)
        let soon = isWatched ? self.step * shares : self.beat
        switch (told, place) {
        case (.still(_, let before), .still(_, let since)): return before == since ? self.stillBeat : soon
        case (.unknown, .unknown): return self.beat
        case (.moving(let before), .moving(let fix)):
            let accuracy = Int64((fix.horizontalAccuracy * 1000).rounded()) / 2
            return FollowedTrack.millimetres(before, fix) >= max(self.stepLength, accuracy) ? soon : self.beat
        case (.moving, .still), (.moving, .unknown), (.still, .moving), (.still, .unknown), (.unknown, .moving),
            (.unknown, .still):
            return soon
        }
    }

    /// The silence that an update announces.
    package static func silence(after place: FollowedPlace, isReduced: Bool) -> Duration {
        if isReduced { return self.reducedSilence }
        return switch place {
        case .moving, .unknown: self.silence
        case .still: self.stillSilence
        }
    }
}
