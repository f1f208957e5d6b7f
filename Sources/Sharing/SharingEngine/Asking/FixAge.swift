package import WhereaboutsVocabulary

/// How old an answered fix is, by the requester's clock, unless the server's time shows that it is wrong.
package struct FixAge: Sendable, Hashable {
    /// The tolerated difference of the requester's clock: the server's times are whole milliseconds, and replies take
    /// time.
    ///
    /// Source: our choice; less than the age that any requester asks for.
    private static let tolerance: Duration = .seconds(2)

    /// The age, at least zero even if the device's clock is ahead.
    package let age: Duration
    /// How far the requester's clock is ahead of the server's, negative when behind; nil while it agrees, and the age is by it.
    package let clockAhead: Duration?

    /// Finds the age.
    ///
    /// - Parameters:
    ///   - fix: the fix of the answer.
    ///   - update: the update that brought it; its state's time is the server's.
    ///   - now: the time by the requester's clock.
    package init(of fix: SharedFix, in update: RequestUpdate, now: WallTime) {
        let ahead = update.state.time.duration(to: now)
        // The answer may have waited at the server for a stream that was lost, but not since before the question.
        let isRight = ahead >= .zero - Self.tolerance && ahead <= update.elapsed + Self.tolerance
        self.clockAhead = isRight ? nil : ahead
        self.age = max(.zero, fix.time.duration(to: isRight ? now : update.state.time))
    }
}
