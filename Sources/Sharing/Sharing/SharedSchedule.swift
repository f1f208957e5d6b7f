public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// A schedule, by which a sharer is asked repeatedly.
public struct SharedSchedule: Sendable, Hashable {
    /// The request that began the schedule.
    public let request: RequestID
    /// The person who is asked.
    public let sharer: PublicIdentity
    /// The person who asks.
    public let requester: PublicIdentity
    /// How exactly the answers may be.
    public let precision: Precision
    /// The interval of the requests, and when they end.
    public let repetition: Repetition
    /// When the schedule began.
    public let since: WallTime

    /// Creates the schedule of a request; nil for a request without one.
    init?(_ request: Request) {
        guard let repetition = request.repetition, let end = request.scheduleEnd else { return nil }
        let grant = request.grant.value
        self.request = request.firstID
        self.sharer = grant.sharer
        self.requester = grant.requester
        self.precision = min(request.precision, grant.precision)
        self.repetition = Repetition(everyMinutes: repetition.everyMinutes, until: end)
        self.since = request.firstIssued
    }
}
