internal import Foundation
internal import LocationEngine
internal import Sharing
internal import SharingEngine

/// The location push service extension of a ``FriendsApp``: verifies, measures, seals, answers; as FindFriends does.
final class FriendsExtension: AppProcess {
    private static let timeout = Duration.seconds(10)
    private static let quietPeriod = Sharer.quietPeriod
    /// Half of the extension's time.
    private static let patience = Duration.seconds(15)
    private static let policy = SharingEngine.Policy()

    /// One push that is being dealt with.
    private struct Work {
        let push: LocationEngine.PushID
        let request: Signed<Request>
        let verdict: Refusal?
        /// What is held for it.
        var holds: [UInt64] = []
    }

    private var works: [Work] = []

    override func received(_ push: Push) {
        switch self.device.misbehaviours[self.bundle] ?? .none {
        case .none: break
        case .hangs: return
        case .crashes:
            return self.later(.milliseconds(20)) { [unowned self] in
                guard case .pushExtension(let launch) = self.role else { return }
                self.device.perform { try self.device.endExtension(launch, .signalled(11)) }
            }
        }
        guard let signed = Self.request(in: push.payload), let verdict = self.receive(signed) else {
            return self.device.completed(push.id, self)
        }
        var work = Work(push: push.id, request: signed, verdict: verdict.refusal)
        guard verdict.refusal == nil else {
            self.works.append(work)
            return self.answer(push.id, .refusal(""))
        }
        // In the order of the code it models: the session first.
        if !self.device.plan(of: self.bundle).isClassic { work.holds.append(self.take(session: .always)) }
        work.holds.append(self.read(.live(.default)))
        self.works.append(work)
        self.later(Self.quietPeriod) { [unowned self] in self.report(push.id) }
        self.later(Self.patience) { [unowned self] in self.answer(push.id, .unavailable("no fix")) }
    }

    override func told(_ update: Update, of stream: UInt64) {
        guard let work = self.works.first(where: { $0.holds.contains(stream) }) else { return }
        if let fix = update.fix, let shared = try? SharedFix(fix) {
            self.answer(work.push, .fix(shared))
        } else if !update.diagnostics.isDisjoint(with: [.authorizationDenied, .insufficientlyInUse]) {
            self.answer(work.push, .unavailable("not allowed"))
        }
    }

    // MARK: Requests

    private struct Verdict {
        var refusal: Refusal?
    }

    /// Checks a request as `Sharer` does, and remembers it; nil when it must not be answered at all.
    private func receive(_ signed: Signed<Request>) -> Verdict? {
        guard let request = ModelNotary.verified(signed)?.value,
            request.grant.value.sharer == self.device.home(of: self.bundle).identity,
            self.device.markSeen(request.id, of: self.bundle)
        else { return nil }
        return Verdict(refusal: self.refusal(of: request))
    }

    private func refusal(of request: Request) -> Refusal? {
        request.refusal(
            isRevoked: self.device.home(of: self.bundle).revoked.contains(request.grant.value.id),
            policy: Self.policy,
            now: self.device.sharingWall
        )
    }

    private func report(_ push: LocationEngine.PushID) {
        guard let work = self.works.first(where: { $0.push == push }), !work.holds.isEmpty else { return }
        let report = ModelNotary.sign(
            DeviceReport(
                request: work.request.value.id,
                sharer: work.request.value.grant.value.sharer,
                progress: .locating
            )
        )
        let server = self.device.world.server
        self.device.world.call(from: self.device.id, to: server, timeout: Self.timeout) {
            try server.report(report)
        } then: { _ in
        }
    }

    // MARK: Answers

    /// Answers the request of a push with what was measured, and then those that wait behind it.
    private func answer(_ push: LocationEngine.PushID, _ content: Answer.Content) {
        guard let index = self.works.firstIndex(where: { $0.push == push }) else { return }
        let work = self.works.remove(at: index)
        self.post(content, to: [(work.request, work.verdict)]) { [self] in
            // The session is held until the answer is delivered.
            for hold in work.holds { self.invalidate(hold) }
            self.device.completed(push, self)
        }
    }

    private func post(
        _ content: Answer.Content,
        to waiting: [(Signed<Request>, Refusal?)],
        finally: @escaping () -> Void
    ) {
        var waiting = waiting
        guard let (signed, verdict) = waiting.popLast(), let sealed = self.sealed(content, signed, verdict) else {
            return finally()
        }
        let server = self.device.world.server
        self.device.world.call(from: self.device.id, to: server, timeout: Self.timeout) {
            try server.answer(sealed)
        } then: { [self] result in
            self.run {
                // As FindFriends: an answer that cannot be delivered ends the work.
                guard case .success(let pending?) = result else { return finally() }
                waiting += pending.compactMap { signed in self.receive(signed).map { (signed, $0.refusal) } }
                self.post(content, to: waiting, finally: finally)
            }
        }
    }

    private func sealed(
        _ content: Answer.Content,
        _ signed: Signed<Request>,
        _ verdict: Refusal?
    ) -> Signed<SealedAnswer>? {
        let request = signed.value
        do {
            let said = try request.permitted(content, refusal: verdict ?? self.refusal(of: request))
            self.device.world.auditors.privacy.sealed(said, in: signed, by: self)
            let sealed = try self.device.sealing.seal(to: request.publicKey, suite: request.suite, info: signed.info) {
                let timings = DeviceTimings(started: .zero, fix: .zero, sealed: .zero)
                return Answer(content: said, timings: timings).paddedBytes
            }
            return ModelNotary.sign(
                SealedAnswer(request: request.id, sharer: request.grant.value.sharer, sealed: sealed)
            )
        } catch {
            self.device.world.fail("an answer could not be sealed: \(error)")
            return nil
        }
    }

    private static func request(in payload: [UInt8]) -> Signed<Request>? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else { return nil }
        return try? PushPayload.request(in: object)
    }
}

extension SharedFix {
    /// What a friend gets to know of a fix; as FindFriends makes it of a `CLLocation`.
    fileprivate init(_ fix: Fix) throws {
        try self.init(
            latitude: Double(fix.latitude) / 1e7,
            longitude: Double(fix.longitude) / 1e7,
            horizontalAccuracy: Double(fix.horizontalAccuracy ?? 0) / 1000,
            time: SharingEngine.WallTime(milliseconds: fix.time.microseconds / 1000),
            speed: fix.speed.map { Double($0) / 1000 }
        )
    }
}
