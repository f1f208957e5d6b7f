package import WhereaboutsVocabulary

/// A device's records of what its owner shares.
package protocol SharerRecords {
    /// Returns whether the owner revoked a grant.
    func isRevoked(_ grant: GrantID) -> Bool

    /// Whether the person removed the device, according to the server; a removed device answers nothing.
    var isRemoved: Bool { get }

    /// Returns the identity of a request, under which the device claims, answers and counts it.
    func digest(of request: Request) -> RequestDigest

    /// Claims a request for one ``Answering`` of this process; false while another ``Answering`` has claimed it.
    ///
    /// A claim ends with the process: if the extension dies, the request is answered when it arrives again.
    func claim(_ request: RequestDigest) -> Bool

    func leave(_ request: RequestDigest)

    /// Looks a request up in the device's ``GivenAnswers``.
    func received(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GivenAnswers.OnReceived

    /// Records a use of a request's grant in the device's ``GrantUses``, which are on disk when this returns.
    func use(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed

    /// Returns why no live share may start with a request, if there is a reason.
    func followingRefusal(of request: Request, now: WallTime) -> Refusal?

    /// Returns whether this device has ended a live share.
    func hasEnded(_ following: Request) -> Bool

    /// Returns why a request may not start a schedule or belong to one, if there is a reason.
    func scheduleRefusal(of request: Request, now: WallTime) -> Refusal?

    /// Records an answer in the device's journal, and then in its ``GivenAnswers``; both are on disk when this returns.
    ///
    /// In this order, every sent answer has its line; a device that dies between the two writes has one line too many.
    func answered(
        _ request: Request,
        _ answer: [UInt8],
        saying content: Answer.Content,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> GivenAnswers.OnReceived

    /// Records that an answer need not be sent any more, and why; if the record is lost, the answer is posted again.
    func ended(_ answer: GivenAnswers.Undelivered, _ end: JournalEntry.End, now: WallTime)

    /// The undelivered answers, oldest first; empty when they cannot be read.
    var undelivered: [GivenAnswers.Undelivered] { get }
}

extension SharerRecords {
    /// False by default: the device was not removed.
    package var isRemoved: Bool { false }

    /// Whether the grant was revoked, or the device was removed: no position may be sent under the grant.
    func isVoid(_ grant: GrantID) -> Bool { self.isRemoved || self.isRevoked(grant) }

    /// Refuses by default: no app continues live shares.
    package func followingRefusal(of request: Request, now: WallTime) -> Refusal? { .cannotBeFollowed }

    /// False by default: the live share was not ended.
    package func hasEnded(_ following: Request) -> Bool { false }

    /// Nil by default: the schedule was not ended.
    package func scheduleRefusal(of request: Request, now: WallTime) -> Refusal? { nil }
}
