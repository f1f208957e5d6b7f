internal import CoreLocation
internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The location service of the device: how it ends, and how a new one continues.
extension DeviceHost {
    /// Whether the location service runs.
    enum Service {
        /// The service runs, and apps can reach it.
        case running
        /// The service has no process; it starts again at this time, and then starts the apps that ran before.
        case down(until: Int64, after: [BundleID])
        case off
        /// The device is on, and was not unlocked.
        case awaitsUnlock
    }

    /// The state that outlives the location service.
    struct Disk {
        /// A state, when it was saved, and after how many boots.
        struct Saved {
            let snapshot: EngineSnapshot
            let at: Now
            let boots: Int

            /// The time since the state was saved; after a boot, by the wall clock if it moved forward (ADR 0003).
            func elapsed(_ now: Now, boots: Int) -> Duration {
                boots == self.boots
                    ? self.at.monotonic.duration(to: now.monotonic) : max(.zero, self.at.wall.duration(to: now.wall))
            }
        }

        /// The state that the service saved last.
        var saved: Saved?
        /// The pushes that reached the device and are not completed.
        var pushes: [Push] = []
        /// The number of times the service was started again.
        var restarts = 0
        /// The number of times the device was switched on again.
        var boots = 0
        /// Whether the disk accepts no more writes.
        var isFull = false
    }

    var isServing: Bool { if case .running = self.service { true } else { false } }

    var isOn: Bool { if case .off = self.service { false } else { true } }

    /// Whether the device is on; if not, this is reported as a problem of the test.
    func isOn(_ what: String) -> Bool {
        self.story?.makeUsable()
        if !self.isOn { self.problems.add("\(what), but the device is off: call switchOn() before") }
        return self.isOn
    }

    /// Whether the location service is running and can take an order; if not, this is reported as a problem of the
    /// test.
    func isHeard(_ what: String) -> Bool {
        self.story?.makeUsable()
        switch self.service {
        case .running: return true
        case .off: return self.isOn(what)
        case .awaitsUnlock:
            self.problems.add(
                "\(what), but the device was not unlocked since it was switched on: call person.unlock() before"
            )
        case .down(let until, _):
            self.problems.add(
                "\(what), but the location service is down until \(Timeline.clock(.nanoseconds(until))): advance the time "
                    + "beyond that first"
            )
        }
        return false
    }

    // MARK: The service's end and restart

    func restartService(_ end: VirtualDevice.ServiceEnd, downFor duration: Duration) {
        let back = self.time.clock.now + duration.nanoseconds
        if case .down(let until, let ran) = self.service {
            // The next service ends as soon as it starts.
            self.timeline.add(.event, "device", end.words)
            return self.serviceIsGone(.down(until: max(until, back), after: ran))
        }
        guard self.isHeard("the location service was to be ended") else { return }
        self.timeline.add(.event, "device", end.words)
        let ran = self.living.filter { $0.role == .app }.map(\.bundle)
        switch end {
        // A locationd that is stopped ends its apps first (ADR 0023).
        case .stopped:
            self.ending = .service
            self.feed(.endOrdered)
        case .killed: break
        }
        self.serviceIsGone(.down(until: back, after: ran))
        for process in self.living {
            switch process.role {
            // The extension's supervisor ends it (ADR 0019).
            case .pushExtension: self.end(process, "is killed, as the location service is gone", .signalled(9))
            case .app: self.disconnected(process)
            }
        }
    }

    private func serviceIsGone(_ service: Service) {
        self.service = service
        self.coreDeadline = .max
        self.stopSensors()
        self.gateway.serviceEnded()
        if !self.indicators.isEmpty { self.show([]) }
        guard case .down(let instant, _) = service else { return }
        self.time.schedule(after: .nanoseconds(instant - self.time.clock.now)) { [unowned self] in
            guard case .down(instant, let ran) = self.service else { return }
            self.startService(after: ran)
        }
    }

    func moveClock(by duration: Duration) {
        self.time.clock.put(forward: duration.nanoseconds)
        self.timeline.add(.event, "device", "its clock is put \(duration < .zero ? "back" : "forward") by \(duration)")
        for process in self.separate { process.separate?.set(self.time.clock.setting) }
    }

    func setTimeZone(_ timeZone: TimeZone) {
        self.time.timeZone = timeZone
        self.timeline.add(.event, "device", "is in the time zone \(timeZone.identifier)")
        for process in self.separate { process.separate?.enter(timeZone.identifier) }
    }

    /// Switches the device off, with all that runs on it; nothing happens if it is off.
    func switchOff() {
        guard self.isOn else { return }
        self.timeline.add(.event, "device", "is switched off")
        self.serviceIsGone(.off)
        for process in self.living { self.end(process, "is gone with the device", .signalled(9)) }
    }

    /// Switches the device on; nothing happens if it is on.
    ///
    /// - Parameter isLocked: whether the location service starts only after a person unlocks the device.
    func switchOn(isLocked: Bool) {
        guard !self.isOn else { return }
        self.lockState = isLocked ? .neverUnlocked : .open
        self.time.clock.booted()
        self.disk.boots += 1
        self.timeline.add(.event, "device", isLocked ? "is switched on, and is locked" : "is switched on")
        if isLocked {
            self.service = .awaitsUnlock
        } else {
            self.startService(after: [])
        }
    }

    /// Starts the location service from the previous one's state, as `Daemon.start()` does.
    func startService(after ran: [BundleID]) {
        let now = self.time.now
        let apps = self.living.filter { $0.role == .app }
        self.disk.restarts += 1
        let engine =
            self.disk.saved.map { saved in
                Engine(
                    restoring: saved.snapshot,
                    manifests: self.apps.sorted { $0.key < $1.key }.map { ($0.key, self.manifest(of: $0.value)) },
                    running: apps.map { ($0.bundle, $0.phase) },
                    policy: self.policy,
                    elapsed: saved.elapsed(now, boots: self.disk.boots),
                    now: now
                )
            } ?? Engine(policy: self.policy, now: now)
        self.core = DeviceCore(engine)
        self.service = .running
        self.timeline.add(.event, "device", "the location service is back")
        let gone = ran.filter { self.appProcess($0) == nil }
        self.feed(
            .begun(
                DeviceCore.Beginning(
                    management: self.management.rules,
                    processes: apps.map { .init(bundle: $0.bundle, phase: $0.phase) }
                        + gone.map { .init(bundle: $0, phase: nil) },
                    pushes: self.disk.pushes.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
                )
            )
        )
        self.announceSensors()
    }

    // MARK: Connections

    /// A process's client connects, for the first time or again: the engine sends it the present state at once.
    func processConnects(_ number: Kernel.ProcessNumber) {
        guard let process = self.process(number) else { return }
        guard self.isServing else {
            self.deliver(.disconnected, to: process)
            return self.reconnectLater(process)
        }
        process.connectedSince = self.time.instant
        self.feed(.connectionOpened(process.clientID, process.principal, Caller()))
        self.deliver(.connected, to: process)
        // A separate process already sent all its declarations; its first call waits for the answer.
        if process.separate == nil { self.takeInbox() }
    }

    func disconnected(_ process: VirtualProcess) {
        guard let since = process.connectedSince else { return }
        process.connectedSince = nil
        process.reconnectPause.connectionEnded(after: since.duration(to: self.time.instant))
        // Events for a suspended process waited in the service, and are lost with the connection.
        process.held = []
        process.lostConnection(self.timeline)
        self.deliver(.disconnected, to: process)
        self.reconnectLater(process)
    }

    /// Tries to connect after a while, as the client's real transport does.
    private func reconnectLater(_ process: VirtualProcess) {
        self.time.schedule(after: process.reconnectPause.take()) { [unowned self] in
            guard !process.hasEnded, process.connectedSince == nil else { return }
            guard self.isServing, !process.isSuspended else { return self.reconnectLater(process) }
            self.processConnects(process.number)
        }
    }
}

extension VirtualDevice.ServiceEnd {
    fileprivate var words: String {
        switch self {
        case .stopped: "the location service is stopped, and its apps with it"
        case .killed: "the location service is killed"
        }
    }
}
