internal import Foundation
internal import LocationEngine

/// The push service as the device sees it: tokens, topics, and one kept push an app.
final class VirtualGateway {
    struct Sent {
        let push: Push
        var outcome: PushOutcome
        var received: Int64?
    }

    private(set) var isReachable = true
    private(set) var sent: [PushID: Sent] = [:]
    private var enabled: [BundleID] = []
    private var tokens: [BundleID: [UInt8]] = [:]
    private var kept: [PushID] = []
    private var waitingForToken: [BundleID] = []
    private var counter: UInt64 = 0
    unowned let host: DeviceHost

    init(host: DeviceHost) {
        self.host = host
    }

    // MARK: What the device says

    func register(_ bundle: BundleID) {
        guard self.isReachable else { return self.waitingForToken.append(bundle) }
        let token = self.tokens[bundle] ?? self.makeToken(bundle)
        self.tokens[bundle] = token
        self.host.feed(.pushTokenReceived(bundle, token))
    }

    /// As long as Apple's usual ones; the same in every run.
    private func makeToken(_ bundle: BundleID) -> [UInt8] {
        self.counter += 1
        var token = Array(bundle.rawValue.utf8.prefix(24))
        token += (0..<8).map { UInt8(truncatingIfNeeded: self.counter >> (8 * $0)) }
        return token + Array(repeating: 0, count: 32 - token.count)
    }

    func token(of bundle: BundleID) -> [UInt8]? { self.tokens[bundle] }

    func unregister(_ bundle: BundleID) {
        self.tokens[bundle] = nil
        self.waitingForToken.removeAll { $0 == bundle }
    }

    func enable(_ topics: [BundleID]) {
        self.enabled = topics
        // Not in the middle of the effects of another input.
        self.host.schedule(after: .zero) { [unowned self] in self.deliverKept() }
    }

    /// The location service ended, and its connection with it; a new one says anew what it wants.
    func serviceEnded() {
        self.enabled = []
        self.waitingForToken = []
    }

    // MARK: What the world does

    func switchNetwork(on: Bool) {
        guard on != self.isReachable else { return }
        self.isReachable = on
        self.host.timeline.add(.event, "person", on ? "switches airplane mode off" : "switches airplane mode on")
        guard on else { return }
        let waiting = self.waitingForToken
        self.waitingForToken = []
        for bundle in waiting { self.register(bundle) }
        self.deliverKept()
    }

    /// Hands a push to the service.
    func send(_ payload: [UInt8], to bundle: BundleID, expiration: WallTime?) -> PushID {
        self.counter += 1
        let id = PushID(high: 0, low: self.counter)
        let push = Push(id: id, bundle: bundle, payload: payload, expiration: expiration, received: self.host.instant)
        self.sent[id] = Sent(push: push, outcome: .underWay)
        return id
    }

    func lose(_ id: PushID) {
        self.set(.lost, for: id)
    }

    /// Delivers a push, or keeps it until it can be delivered; the newest of an app takes the place of an older one.
    func deliver(_ id: PushID) {
        guard let sent = self.sent[id] else { return }
        guard self.isReachable, self.host.isServing, self.enabled.contains(sent.push.bundle) else {
            for older in self.kept where self.sent[older]?.push.bundle == sent.push.bundle && older != id {
                self.set(.replaced, for: older)
            }
            self.kept.removeAll { self.sent[$0]?.push.bundle == sent.push.bundle }
            self.kept.append(id)
            return self.set(.kept, for: id)
        }
        self.kept.removeAll { $0 == id }
        self.sent[id]?.received = self.host.kernel.now
        self.sent[id]?.outcome = .underWay
        var push = sent.push
        push.received = self.host.instant
        self.host.timeline.add(.event, "pushes", "a push for \(push.bundle) reaches the device")
        self.host.disk.pushes.append(push)
        self.host.feed(.pushReceived(push))
    }

    private func deliverKept() {
        guard self.isReachable, self.host.isServing else { return }
        for id in self.kept where self.sent[id].map({ self.enabled.contains($0.push.bundle) }) ?? false {
            self.deliver(id)
        }
    }

    // MARK: What became of them

    func decided(_ note: Note) {
        switch note {
        case .pushHanded(let id, _): self.set(.handed, for: id)
        case .pushCompleted(let id, _):
            let received = self.sent[id]?.received ?? self.host.kernel.now
            self.set(.completed(after: .nanoseconds(self.host.kernel.now - received)), for: id)
        case .pushRefused(let id, _, let reason): self.set(.refused(PushRefusal(reason)), for: id)
        case .extensionFailed(let bundle, _, _):
            for (id, sent) in self.sent where sent.push.bundle == bundle && sent.outcome == .handed {
                self.set(.abandoned, for: id)
            }
        default: break
        }
    }

    private func set(_ outcome: PushOutcome, for id: PushID) {
        self.sent[id]?.outcome = outcome
    }
}

extension PushRefusal {
    init(_ reason: Note.PushRefusal) {
        self =
            switch reason {
            case .malformed: .malformed
            case .notRegistered: .notRegistered
            case .budgetExhausted: .budgetExhausted
            case .shareExhausted: .shareExhausted
            case .expired: .expired
            case .notAuthorized: .notAuthorized
            case .provisional: .provisional
            case .noAlwaysSession: .noAlwaysSession
            case .notEntitled: .notEntitled
            case .tooManyWaiting: .tooManyWaiting
            case .heldBack: .heldBack
            }
    }
}

extension VirtualGateway {
    /// Delivers a push for an app that is not there; it costs budget all the same.
    func spend() {
        let id = self.send([0x7B, 0x7D], to: BundleID("another.app"), expiration: nil)
        guard let sent = self.sent[id] else { return }
        self.host.feed(.pushReceived(sent.push))
    }
}
