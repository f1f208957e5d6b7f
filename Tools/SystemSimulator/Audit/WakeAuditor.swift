internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Objects when the server pushes for a request that a push under way covers, and when a request waits without such a push.
///
/// ``RequestAuditor`` checks that each request ends.
final class WakeAuditor {
    /// A push that the push service accepted.
    private struct Wake {
        var request: Request
        var since: Instant
    }

    /// The time that a device has to answer, less a second for the clocks of the two sides.
    private static let span = SharingPolicy().allowance - .seconds(1)
    /// The time within which a waiting request must be pushed, unless something happens to it.
    private static let pause = SharingPolicy().pushRetry + .seconds(1)

    private unowned let world: Simulation
    private var wakes: [PublicIdentity: [Wake]] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ request: Request, _ what: String) {
        self.world.fail("request \(self.world.number(of: request.id)) \(what)")
    }

    /// The server is about to push for a request; `store` is the server's state.
    func pushes(for request: Request, _ store: any RequestStoreView) throws {
        let sharer = request.grant.value.sharer
        // The server may have died between storing an end and reporting it.
        try self.wakes[sharer]?.removeAll { wake in
            try wake.since.duration(to: self.world.now) >= Self.span
                || store.request(wake.request.id)?.life.deadline == nil
                // The person has chosen another device since the push.
                || store.request(wake.request.id)?.isAstray == true
        }
        // The reply to this device does not contain a request that another device may know.
        let isAstray = try store.request(request.id)?.isAstray == true
        guard !self.world.hadWrongClock(.server), !isAstray else { return }
        for wake in self.wakes[sharer] ?? []
        where wake.request.id != request.id && request.occurrence == 0 && wake.request.answers(for: request) {
            let age = wake.since.duration(to: self.world.now)
            self.object(
                request,
                "caused a push, but the push for request \(self.world.number(of: wake.request.id)), sent \(age) before, answers both"
            )
        }
    }

    /// The push service accepted the push of a request.
    func pushed(for request: Request) {
        self.wakes[request.grant.value.sharer, default: []].append(Wake(request: request, since: self.world.now))
    }

    /// The server changed a request; `record` and `store` are its state now.
    func serverChanged(_ record: RequestRecord, _ store: any RequestStoreView, now: WallTime) throws {
        let sharer = record.sharer
        if record.life.deadline == nil {
            self.wakes[sharer]?.removeAll { $0.request.id == record.request.value.id }
        }
        if record.life.isWaiting { self.world.census.add("a request shares a push") }
        guard !self.world.hadWrongClock(.server) else { return }
        let open = try store.pending(for: sharer)
        for waiting in open {
            guard case .waiting(let nextPush, _) = waiting.life.state, waiting.request.value.occurrence == 0 else {
                continue
            }
            let isCarried = open.contains { other in
                !other.life.isWaiting && other.request.value.answers(for: waiting.request.value)
            }
            guard !isCarried, now.duration(to: nextPush) > Self.pause else { continue }
            self.object(waiting.request.value, "waits for another request's push, but no such push is in flight")
        }
    }

    /// The server's disk was rolled back: the server does not know later pushes.
    func serverRolledBack() { self.wakes = [:] }
}
