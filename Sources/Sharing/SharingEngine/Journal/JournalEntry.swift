public import WhereaboutsVocabulary

/// One event of a request on the sharer's device, for the journal; its time is whole milliseconds.
public struct JournalEntry: Sendable, Hashable {
    /// The events of a request, in the order in which they happen.
    public enum Event: Sendable, Hashable {
        /// The device created this answer for this requester and precision; it was not sent yet.
        case answered(Answer.Content, to: PublicIdentity, asked: Precision)
        /// The answer need not be sent any more, for this reason.
        case ended(End)
        /// The live share or schedule of the request ended.
        case over(FollowingEnd.Reason)
    }

    /// The possible outcomes of an answer.
    public enum End: UInt8, Sendable, Hashable, CaseIterable {
        /// The server stored the answer for the requester.
        case delivered = 1
        /// The server refused the answer, or the request had ended, so that the answer was not needed.
        case declined = 2
        /// The grant was revoked before the answer was sent; only a refusal is still sent.
        case withheld = 3
    }

    /// When the event of this line happened, by the device's clock.
    public let time: WallTime
    /// The request.
    public let request: RequestID
    /// The grant of the request.
    public let grant: GrantID
    /// The schedule to which the request belongs; nil when its requester asked directly.
    public let schedule: RequestID?
    /// The event that the entry records.
    public let event: Event

    /// Creates an entry.
    public init(time: WallTime, request: RequestID, grant: GrantID, schedule: RequestID? = nil, event: Event) {
        self.time = time.wholeMilliseconds
        self.request = request
        self.grant = grant
        self.schedule = schedule
        self.event = event
    }
}

extension JournalEntry {
    /// Creates the entry of an answer.
    package init(_ content: Answer.Content, to request: Request, at time: WallTime) {
        self.init(
            time: time,
            request: request.id,
            grant: request.grant.value.id,
            schedule: request.occurrence == 0 ? nil : request.firstID,
            event: .answered(content, to: request.grant.value.requester, asked: request.precision)
        )
    }

    /// Creates the entry of the end of a live share or schedule.
    package init(_ reason: FollowingEnd.Reason, of request: Request, at time: WallTime) {
        self.init(time: time, request: request.firstID, grant: request.grant.value.id, event: .over(reason))
    }

    /// Creates the entry of an answer's outcome.
    package init(_ end: End, of answer: GivenAnswers.Undelivered, at time: WallTime) {
        self.init(time: time, request: answer.request, grant: answer.grant, event: .ended(end))
    }
}
