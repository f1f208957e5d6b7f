internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import LocationWireMessages
internal import Logging
internal import SwiftProtobuf

/// Location pushes: from the gateway, or from the device's owner, to the engine; and what became of them.
extension Daemon {
    func received(_ event: PushLinkEvent) {
        switch event {
        case .connected:
            self.linkState = "connected"
            self.logger.info("connected to the push gateway")
        case .disconnected(let reason):
            self.linkState = "not connected: \(reason)"
            self.logger.warning("not connected to the push gateway", metadata: ["reason": "\(reason)"])
        case .registered(let bundle, let token): self.feed(.pushTokenReceived(bundle, token))
        case .unregistered(let bundle): self.feed(.topicUnregistered(bundle))
        case .push(let push): self.take(push)
        }
    }

    /// The most pushes that wait for room on the disk; the gateway has all of them, and sends them on its next connection.
    private static let untakenMax = 16

    /// Keeps a push, acknowledges it, and feeds it; one that the disk does not take is tried again.
    private func take(_ push: Push) {
        do {
            try self.spool.save(push)
        } catch {
            self.logger.error("a push could not be saved", metadata: ["reason": "\(error)"])
            guard self.untaken.count < Self.untakenMax, !self.untaken.contains(where: { $0.id == push.id }) else {
                return
            }
            self.untaken.append(push)
            if self.untaken.count == 1 { self.takeLater() }
            return
        }
        self.link?.acknowledge(push.id)
        self.feed(.pushReceived(push))
    }

    private func takeLater() {
        self.executor.queue.asyncAfter(deadline: .now() + Self.savePause) { [weak self] in
            self?.assumeIsolated { daemon in
                guard !daemon.isStopping else { return }
                let waiting = daemon.untaken
                daemon.untaken = []
                for push in waiting { daemon.take(push) }
            }
        }
    }

    func registerTopic(_ bundle: BundleID) {
        if let link = self.link { return link.register(bundle) }
        // Not in the middle of the effects of another input.
        self.executor.queue.async { self.assumeIsolated { $0.feed(.pushRegistrationFailed(bundle)) } }
    }

    // MARK: What the device's owner asks

    func pushAccounts() -> Whereabouts_Locationwire_V1_PushAccounts {
        let accounts = self.accounts.accounts
        let budget = self.engine.pushBudgetLevel
        return .with {
            $0.total = .init(accounts.total, of: "")
            $0.apps = accounts.apps.sorted { $0.key < $1.key }.map { .init($0.value, of: $0.key) }
            $0.recent = accounts.recent.map { line in
                .with {
                    $0.time = line.time
                    $0.bundle = line.bundle
                    $0.outcome = line.outcome
                    $0.reason = line.reason
                }
            }
            $0.budgetRemaining = UInt32(budget.remaining)
            $0.budgetCapacity = UInt32(budget.capacity)
        }
    }

    func testPush(
        _ order: Whereabouts_Locationwire_V1_PushRequest
    ) throws(DaemonError) -> Whereabouts_Locationwire_V1_ControlReply {
        let bundle = BundleID(order.bundle)
        guard let priority = Push.Priority(rawValue: Int(order.priority)) else {
            throw DaemonError("the priority must be 10, 5 or 1, not \(order.priority)")
        }
        var random = SystemRandomNumberGenerator()
        let payload = Array(order.payload)
        let push = Push(
            id: PushID(high: random.next(), low: random.next()),
            bundle: bundle,
            payload: payload,
            isObject: PushPayload.isObject(payload),
            priority: priority,
            expiration: nil,
            received: Clocks.now().monotonic
        )
        if order.dryRun {
            let checks = self.engine.pushChecks(for: push)
            return .with { $0.pushChecks.checks = checks.map { self.shown($0.check, isMet: $0.isMet, for: push) } }
        }
        guard push.isObject else { throw DaemonError("the payload is no JSON object; \(Self.objectRemedy)") }
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        try self.spool.save(push)
        return Self.done(try Self.outcome(of: push, self.effects(of: .pushReceived(push))))
    }

    private static func outcome(of push: Push, _ effects: [Engine.Effect]) throws(DaemonError) -> String {
        let app = push.bundle
        for case .note(let note) in effects {
            switch note {
            case .pushRefused(push.id, _, let reason):
                throw DaemonError(
                    "the push does not reach the extension of \(app): \(DeviceLog.Line.words(reason)); "
                        + "`locationctl push \(app) --dry-run` explains each check"
                )
            case .pushDeferred(push.id, _):
                return "the push waits until something else wakes the device (priority \(push.priority.rawValue))"
            case .pushHanded(push.id, _): return "the push was handed to the extension of \(app), which runs"
            default: break
            }
        }
        return "the push goes to the extension of \(app); `locationctl pushes` shows what became of it"
    }
}

extension Whereabouts_Locationwire_V1_PushCounts {
    fileprivate init(_ counts: PushAccounts.Counts, of bundle: String) {
        self.init()
        self.bundle = bundle
        self.received = UInt64(counts.received)
        self.handed = UInt64(counts.handed)
        self.completed = UInt64(counts.completed)
        self.abandoned = UInt64(counts.abandoned)
        self.replaced = UInt64(counts.replaced)
        self.refused = counts.refused.sorted { $0.key < $1.key }.map { reason, count in
            .with {
                $0.reason = reason
                $0.count = UInt64(count)
            }
        }
    }
}
