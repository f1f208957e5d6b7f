package import Vocabulary

/// A request that reached its device, is remembered there, and was checked.
package struct Receipt: Sendable, Hashable {
    /// The request as it was signed, which the answer is bound to.
    package let signed: Signed<Request>
    /// The rule that it breaks, if it breaks one: its requester gets that and nothing else, whatever was measured.
    package let refusal: Refusal?

    /// The request.
    package var request: Request { self.signed.value }

    /// Actions returned by ``requestReceived(_:by:_:policy:now:)``.
    package enum OnReceived: Sendable {
        /// Answer it.
        case answer(Receipt)
        /// Answer nothing; the error is for the device's log.
        case drop(SharingError)
    }

    /// Decides whether a device answers a request whose signatures hold, and remembers it.
    ///
    /// - Parameters:
    ///   - request: the request, verified together with the grant it carries.
    ///   - sharer: whose device this is.
    ///   - records: the device's records.
    ///   - policy: the numbers to decide by.
    ///   - now: the moment the request arrived.
    /// - Returns: whether to answer.
    /// - Throws: what the records throw; the request is not answered then.
    package static func requestReceived(
        _ request: Verified<Request>,
        by sharer: PublicIdentity,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: WallTime
    ) throws -> OnReceived {
        let (signed, request) = (request.signed, request.value)
        guard request.grant.value.sharer == sharer else {
            return .drop(
                SharingError(
                    .notForUs,
                    "the request \(request.id) is for another sharer: its grant must be ours; "
                        + "register this device again"
                )
            )
        }
        switch try records.remember(request.id, policy: policy, now: now) {
        case .remember:
            let grant = request.grant.value
            let isRevoked = records.isRevoked(grant.id)
            if let refusal = request.refusal(isRevoked: isRevoked, policy: policy, now: now) {
                return .answer(Receipt(signed: signed, refusal: refusal))
            }
            switch try records.use(grant, policy: policy, now: now) {
            case .answer, .record: return .answer(Receipt(signed: signed, refusal: nil))
            case .tooSoon: return .answer(Receipt(signed: signed, refusal: .tooSoon))
            case .full:
                return .drop(
                    SharingError(
                        .badHome,
                        "\(GrantUses.countMax) grants are within their interval, the most that are kept: "
                            + "revoke some of them, or wait"
                    )
                )
            }
        case .replayed:
            return .drop(
                SharingError(
                    .replayed,
                    "the request \(request.id) was received before: a request is answered once; "
                        + "there is nothing left to do"
                )
            )
        case .full:
            return .drop(
                SharingError(
                    .badHome,
                    "\(SeenRequests.countMax) requests of the last minutes are remembered, the most that may be: "
                        + "someone asks too often; revoke their grant"
                )
            )
        }
    }

    /// Returns the answer that the device may give, whatever it measured: the grant is looked at once more, a refusal stands
    /// above all, and who asks for a reduced position, or may have no other, gets no more.
    package func permitted(
        _ content: Answer.Content,
        _ records: some SharerRecords,
        policy: SharingPolicy,
        now: WallTime
    ) throws(SharingError) -> Answer.Content {
        let isRevoked = records.isRevoked(self.request.grant.value.id)
        let refusal = self.refusal ?? self.request.refusal(isRevoked: isRevoked, policy: policy, now: now)
        return try self.request.permitted(content, refusal: refusal)
    }
}

extension Request {
    /// Returns the answer that a device may give to this request, once it is known whether it must refuse.
    package func permitted(_ content: Answer.Content, refusal: Refusal?) throws(SharingError) -> Answer.Content {
        if let refusal { return .refusal(refusal.reason) }
        let precision = min(self.precision, self.grant.value.precision)
        guard case .fix(let fix) = content, precision == .reduced else { return content }
        return .fix(try fix.reduced())
    }
}
