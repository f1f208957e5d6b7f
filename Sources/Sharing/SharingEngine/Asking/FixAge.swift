package import WhereaboutsVocabulary

/// How old an answered fix is, by the requester's clock or, if that is wrong, by the server's time.
package struct FixAge: Sendable, Hashable {
    /// The tolerated difference of the requester's clock: the server's times are whole milliseconds, and replies take
    /// time.
    ///
    /// Source: our choice; a smaller difference does not matter for the age of a fix.
    private static let tolerance: Duration = .seconds(2)

    /// The age, at least zero even if the device's clock is ahead.
    package let age: Duration
    /// How far the requester's clock is ahead of the server's, negative when behind; nil if both agree.
    package let clockAhead: Duration?

    /// Finds the age.
    ///
    /// - Parameters:
    ///   - fix: the fix of the answer.
    ///   - update: the update with the answer; the time of its state is the server's.
    ///   - now: the time by the requester's clock.
    package init(of fix: SharedFix, in update: RequestUpdate, now: WallTime) {
        let ahead = update.state.time.duration(to: now)
        // The answer may have waited on the server while a stream was lost, but it cannot be older than the request.
        let isRight = ahead >= .zero - Self.tolerance && ahead <= update.elapsed + Self.tolerance
        self.clockAhead = isRight ? nil : ahead
        self.age = max(.zero, fix.time.duration(to: isRight ? now : update.state.time))
    }
}
