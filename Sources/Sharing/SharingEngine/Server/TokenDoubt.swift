package import WhereaboutsVocabulary

/// The turns at which a server's operator learns that device tokens are refused: the first time, and an hour later at the soonest, since each request
/// to every device is refused alike.
package struct TokenDoubt: Sendable, Hashable {
    /// The least time between two words about it.
    ///
    /// Source: our choice; an operator who fixes it sees soon that it is fixed, and a log of a night has a page of it at most.
    package static let pause = Duration.seconds(3600)

    private var saidAt: EngineInstant?

    /// Creates a doubt of nothing.
    package init() {}

    /// Records that a token was refused, and nothing was said about its device.
    ///
    /// - Returns: whether the operator is to learn of it.
    package mutating func tokenRefused(now: EngineInstant) -> Bool {
        if let saidAt, now < saidAt.advanced(by: Self.pause) { return false }
        self.saidAt = now
        return true
    }
}
