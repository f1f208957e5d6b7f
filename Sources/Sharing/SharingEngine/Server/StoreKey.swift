/// The rows that a transaction works on; transactions on the same rows run one after another.
package enum StoreKey: Sendable, Hashable {
    /// The rows of one sharer.
    case sharer(PublicIdentity)
    /// The rows of the sharer of a stored request, live share or schedule.
    case request(RequestID)
    /// The rows whose time has come, of any sharer.
    ///
    /// A store with several nodes may leave out sharers whose rows another transaction works on.
    case due
}

extension SharingCore.Change {
    /// The rows that the change works on.
    package var key: StoreKey {
        switch self {
        case .state(let statement, _): statement.key
        case .begin(let update, _, _): .sharer(update.value.sharer)
        case .pushEnded(_, let sharer, _, _): .sharer(sharer)
        case .look: .due
        }
    }
}

extension SharingCore.Statement {
    fileprivate var key: StoreKey {
        switch self {
        case .register(let registration): .sharer(registration.value.sharer)
        case .remove(let removal): .sharer(removal.value.sharer)
        case .revoke(let revocation): .sharer(revocation.value.sharer)
        case .post(let link): .sharer(link.value.sharer)
        case .request(let request): .sharer(request.value.grant.value.sharer)
        case .report(let report): .sharer(report.value.sharer)
        case .answer(let answer, _): .sharer(answer.value.sharer)
        // The author may be the requester.
        case .end(let end, _): .request(end.value.request)
        }
    }
}
