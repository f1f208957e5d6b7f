package import Sharing
package import SharingEngine

/// The truth of the sharing server: what is in it was accepted, what is not was not.
///
/// Every function is one transaction, on disk when it returns; nodes hold nothing else between two calls.
package protocol Store: Sendable {
    /// Keeps where a sharer's device takes pushes, unless a later statement is kept already.
    func register(_ registration: Registration) async throws

    /// Keeps a revocation until its grant has ended anyway.
    ///
    /// - Returns: false when it is not kept, since the sharer has ``SharingEngine/Policy/revocationsPerSharerMax`` others.
    func revoke(_ revocation: Revocation) async throws -> Bool

    /// Lets a request in, or not.
    ///
    /// - Parameters:
    ///   - request: the request; an identical one that was accepted before is `.known`.
    ///   - now: when it arrived.
    ///   - decide: the decision, made inside the transaction on what the store knows.
    /// - Returns: what came of it.
    /// - Throws: when the store fails; nothing was changed then.
    func admit(
        _ request: Signed<Request>,
        now: WallTime,
        decide: @escaping @Sendable (Standing) -> RequestLife.OnVerified
    ) async throws -> StoreAdmission

    /// Applies one input to a request, and with it the effects that concern the store.
    ///
    /// - Parameters:
    ///   - id: the request.
    ///   - answer: the signed answer to keep if the machine says so.
    ///   - token: the device token to pause if the machine says so.
    ///   - input: the input.
    /// - Returns: the request afterwards and the effects, or nil when the request is unknown.
    /// - Throws: when the store fails; nothing was changed then.
    func apply(
        to id: RequestID,
        answer: [UInt8]?,
        token: [UInt8]?,
        _ input: @escaping @Sendable (inout RequestLife) -> [RequestLife.Effect]
    ) async throws -> (record: RequestRecord, effects: [RequestLife.Effect])?

    /// Returns a request.
    func request(_ id: RequestID) async throws -> RequestRecord?

    /// Returns where a sharer's device takes pushes; nil when it does not.
    func device(of sharer: PublicIdentity) async throws -> (token: [UInt8], topic: String)?

    /// Returns the unfinished requests to a sharer's device, oldest first.
    func pending(for sharer: PublicIdentity) async throws -> [RequestRecord]

    /// Returns the requests whose deadline has come, at most `max`: the earliest deadline first, of equal ones the request
    /// that came first.
    func due(now: WallTime, max: Int) async throws -> [RequestID]

    /// Returns the earliest deadline of all requests.
    func nextDeadline() async throws -> WallTime?

    /// Deletes what nobody can ask for any more: requests past their expiry, revocations of grants that have ended.
    func prune(now: WallTime) async throws
}
