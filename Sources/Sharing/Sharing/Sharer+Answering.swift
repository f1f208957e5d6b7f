internal import Foundation
internal import WhereaboutsVocabulary

/// A sharer's device, as it receives requests and answers them.
extension Sharer {
    /// Reads a request out of a location push, checks it, and claims it for this process.
    ///
    /// Answer it with ``respond(to:within:handsOver:prompt:measure:)``.
    ///
    /// - Parameters:
    ///   - pushPayload: the payload that the extension received.
    ///   - pushAge: how long ago the device received the push; zero if unknown.
    /// - Returns: the request, claimed until it is answered.
    /// - Throws: ``SharingError`` if the request must not be answered: it is malformed, forged, sealed to another device, for
    ///   another sharer, or was answered before.
    public func receive(pushPayload: [String: Any], pushAge: Duration = .zero) throws -> IncomingRequest {
        let started = ContinuousClock.now
        let request = try self.profile.deviceFile.request(in: pushPayload, self.sealing, now: .now).verified()
        let sharer = self.profile.identity.publicIdentity
        switch try Receipt.requestReceived(
            request,
            by: sharer,
            self.profile.records(),
            policy: self.policy,
            now: .now
        ) {
        case .answer(let receipt):
            return IncomingRequest(receipt: receipt, received: started - pushAge, started: started)
        case .drop(let error): throw error
        }
    }

    /// Answers a request, and those that wait behind it, with one measurement.
    ///
    /// If this takes longer, the requester is notified that the device received the request, and later that it is measuring
    /// (``Answering``). Otherwise the answer's timings contain this, and the exchange needs one connection, which is opened during
    /// the measurement, and one request.
    ///
    /// - Parameters:
    ///   - incoming: the request that the push carried.
    ///   - patience: how long the process may answer; 25 s of the 30 s that an extension has, if not given.
    ///   - handsOver: whether the app continues a live share (``Sharer/beFollowed``); if not, followers are refused.
    ///   - prompt: shows the person a question if the grant requires their approval, such as a notification that opens the
    ///     app; the app reports their answer with ``SharingProfile/answer(_:isAllowed:)``.
    ///   - measure: gets a fix; if it throws, the error becomes the reason in the answer.
    /// - Throws: ``SharingError`` when an answer could not be delivered.
    public func respond(
        to incoming: IncomingRequest,
        within patience: Duration? = nil,
        handsOver: Bool = false,
        prompt: @escaping @Sendable (Question) -> Void = { _ in },
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async throws {
        let answering = RequestAnswering(
            messages: self.messages,
            sealing: self.sealing,
            policy: self.policy,
            records: self.profile.records(handsOver: handsOver),
            questions: self.profile.questionFiles
        )
        try await answering.respond(
            to: incoming,
            within: patience ?? Answering.patience,
            prompt: prompt,
            measure: measure
        )
        await self.renewPushKey(since: incoming.started)
    }
}
