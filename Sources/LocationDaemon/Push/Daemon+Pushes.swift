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
        case .push(let push):
            do {
                try self.spool.save(push)
            } catch {
                // Not acknowledged: the gateway keeps it and sends it again.
                return self.logger.error("a push could not be saved", metadata: ["reason": "\(error)"])
            }
            self.link?.acknowledge(push.id)
            self.feed(.pushReceived(push))
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
        guard PushPayload.isObject(Array(order.payload)) else {
            throw DaemonError("the payload is no JSON object; an extension is given one, such as {\"question\": 1}")
        }
        if order.dryRun {
            let checks = self.engine.pushChecks(for: bundle)
            return .with { $0.pushChecks.checks = checks.map { .init($0.check, isMet: $0.isMet, of: bundle) } }
        }
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        var random = SystemRandomNumberGenerator()
        let push = Push(
            id: PushID(high: random.next(), low: random.next()),
            bundle: bundle,
            payload: Array(order.payload),
            priority: priority,
            expiration: nil,
            received: Clocks.now().monotonic
        )
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

extension Whereabouts_Locationwire_V1_PushCheck {
    fileprivate init(_ check: LocationEngine.PushCheck, isMet: Bool, of bundle: BundleID) {
        self.init()
        let (name, text, remedy) = Self.words(check, bundle)
        self.name = name
        self.isMet = isMet
        self.text = text
        self.remedy = isMet ? "" : remedy
    }

    /// The name of a check, what it asks, and what to do when it is not met.
    private static func words(_ check: LocationEngine.PushCheck, _ bundle: BundleID) -> (String, String, String) {
        let approve = "approve it with `locationctl install Name.app`; changed files lose it"
        return switch check {
        case .installed:
            ("installed", "the app is installed", "install it: `locationctl install Name.app`")
        case .hasExtension:
            (
                "extension", "its bundle holds a location push service extension",
                "add one: PlugIns/Name.appex with NSExtensionPointIdentifier \(AppBundle.pushExtensionPoint)"
            )
        case .hasEnvironment:
            ("environment", "the entitlement \(Entitlement.pushEnvironment) is approved", approve)
        case .entitled: ("entitled", "the entitlement \(Entitlement.push) is approved", approve)
        case .registered:
            (
                "registered", "the app monitors location pushes",
                "run it, and let it call startMonitoringLocationPushes: `locationctl run \(bundle)`"
            )
        case .authorized:
            ("authorized", "the app is authorized Always", "allow it: `locationctl authorize \(bundle) always`")
        case .confirmed:
            (
                "confirmed", "Always is more than provisional",
                "the first push asks the person to confirm it; answer, or `locationctl authorize \(bundle) always`"
            )
        case .session:
            (
                "session", "a service session that asks for Always is held or remembered, or the app never took one",
                "the app must hold CLServiceSession(authorization: .always), taken in the foreground, and not invalidate it"
            )
        case .budget:
            ("budget", "the device's push budget is not empty", "wait; `locationctl pushes` shows what is back")
        case .share:
            (
                "share", "the app has not used up its share of the budget",
                "wait; `locationctl pushes` shows who received how many"
            )
        case .steady:
            (
                "steady", "the extension is not held back for failing",
                "see why it failed with `locationctl pushes` and in its output, and install a version that works"
            )
        case .room: ("room", "another push finds room", "wait until the extension has completed some")
        }
    }
}
