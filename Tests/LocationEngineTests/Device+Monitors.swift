internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

extension Device {
    /// A circle of 100 m around the place of ``fix(latitude:accuracy:age:)``, or north of it.
    static func circle(north metres: Double = 0, radius: Int32 = 100_000) -> Condition {
        .circle(.init(latitude: 425_000_000 + Int32(metres / 0.011_11), longitude: 14_000_000, radius: radius))
    }

    /// An app in the foreground with Always that reads a monitor.
    static func monitoring(policy: Policy = Policy(), manifest: AppManifest = Device.manifest) -> Device {
        var device = Device(.always, policy: policy, manifest: manifest)
        device.connect(1, isManaged: true)
        device.readMonitor(1)
        return device
    }

    /// A client with a session for Always that reads a monitor.
    mutating func readMonitor(
        _ client: UInt64,
        _ name: String = "places",
        session: Declaration.Session.Requirement? = .always,
        isRead: Bool = true
    ) {
        self.declare(
            client,
            Declaration(
                sessions: session.map { [.init(id: 10, requirement: $0)] } ?? [],
                monitors: [.init(id: 7, name: name, isRead: isRead)]
            )
        )
    }

    mutating func change(_ client: UInt64, _ number: UInt64, _ kind: MonitorChange.Kind) {
        self.feed(.monitorChanged(ClientID(client), MonitorChange(monitor: 7, number: number, kind: kind)))
    }

    mutating func add(
        _ identifier: String,
        _ condition: Condition = Device.circle(),
        assuming state: ConditionState = .unknown,
        by client: UInt64 = 1,
        _ notices: Notices = .all
    ) {
        self.change(client, 1, .add(identifier: identifier, condition, assuming: state, notices))
    }

    /// Lets up to 1,000 s pass, with a receiver that delivers a fix each second while it is on.
    ///
    /// Stops after a few fixes, or when an app is launched, which must become visible soon.
    @discardableResult
    mutating func be(north metres: Double, for fixes: Int = 20, accuracy: Int32 = 5000) -> [Engine.Effect] {
        var all: [Engine.Effect] = []
        var given = 0
        for _ in 0..<1000 where given < fixes {
            all += self.pass(1)
            if self.engine.sensors[.receiver].isOff { continue }
            self.fix(latitude: 425_000_000 + Int32(metres / 0.011_11), accuracy: accuracy)
            all += self.effects
            given += 1
            if all.contains(where: { if case .process(.launchApp) = $0 { true } else { false } }) { break }
        }
        self.effects = all
        return all
    }

    /// The events, and their diagnostics, that the last input delivered to a client.
    func events(_ client: UInt64 = 1) -> [ConditionEvent] {
        self.effects.compactMap { effect in
            guard case .tell(ClientID(client), .monitor(.event(let event), monitor: 7)) = effect else { return nil }
            return event
        }
    }

    /// The records that the last input delivered to a client.
    func opened(_ client: UInt64 = 1) -> [ConditionReport]? {
        for case .tell(ClientID(client), .monitor(.opened(let reports), monitor: 7)) in self.effects { return reports }
        return nil
    }

    /// A new engine with the saved state, an hour later.
    func rebooted() -> Device { self.restored(after: 3600) }

    /// The device with a new engine, as after a restart of locationd while apps continue.
    func restored(after seconds: Double, running: [(BundleID, Lifecycle.Phase)] = []) -> Device {
        var device = self
        device.seconds += seconds
        device.engine = Engine(
            restoring: self.engine.snapshot(now: self.now.monotonic),
            manifests: [(Device.app, Device.manifest)],
            running: running,
            policy: Policy(),
            elapsed: .seconds(seconds),
            now: device.now
        )
        device.effects = device.engine.start(now: device.now)
        return device
    }
}
