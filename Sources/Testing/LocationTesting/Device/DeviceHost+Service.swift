internal import CoreLocation
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The ends of the location service and of the device, and how both continue.
extension DeviceHost {
    // MARK: The service's end and restart

    func restartService(_ end: VirtualDevice.ServiceEnd, downFor duration: Duration) {
        let back = self.time.clock.now + duration.nanoseconds
        if case .down(let until, let ran) = self.service.state {
            // The next service ends as soon as it starts.
            self.timeline.add(.event, "device", end.words)
            return self.serviceIsGone(.down(until: max(until, back), after: ran))
        }
        guard self.service.isHeard("the location service was to be ended") else { return }
        self.timeline.add(.event, "device", end.words)
        let ran = self.processes.livingApps.map(\.bundle)
        switch end {
        // A locationd that is stopped ends its apps first (ADR 0023).
        case .stopped:
            self.apps.ending = .service
            self.service.feed(.endOrdered)
        case .killed: break
        }
        self.serviceIsGone(.down(until: back, after: ran))
        for process in self.processes.living {
            switch process.role {
            // The extension's supervisor ends it (ADR 0019).
            case .pushExtension: self.processes.end(process, "is killed, as the location service is gone")
            case .app: self.clients.disconnected(process)
            }
        }
    }

    private func serviceIsGone(_ state: LocationService.State) {
        self.service.ended(state)
        self.gateway.serviceEnded()
        guard case .down(let instant, _) = state else { return }
        self.time.schedule(after: .nanoseconds(instant - self.time.clock.now)) { [unowned self] in
            guard case .down(instant, let ran) = self.service.state else { return }
            self.startService(after: ran)
        }
    }

    func moveClock(by duration: Duration) {
        self.time.clock.put(forward: duration.nanoseconds)
        self.timeline.add(.event, "device", "its clock is put \(duration < .zero ? "back" : "forward") by \(duration)")
        for process in self.processes.separate { process.separate?.set(self.time.clock.setting) }
    }

    func setTimeZone(_ timeZone: TimeZone) {
        self.time.timeZone = timeZone
        self.timeline.add(.event, "device", "is in the time zone \(timeZone.identifier)")
        for process in self.processes.separate { process.separate?.enter(timeZone.identifier) }
    }

    func unlock() {
        if self.apps.unlock() { self.startService(after: []) }
    }

    /// Switches the device off, with all that runs on it; nothing happens if it is off.
    func switchOff() {
        guard self.service.isOn else { return }
        self.timeline.add(.event, "device", "is switched off")
        self.serviceIsGone(.off)
        for process in self.processes.living { self.processes.end(process, "is gone with the device") }
    }

    /// Switches the device on; nothing happens if it is on.
    ///
    /// - Parameter isLocked: whether the location service starts only after a person unlocks the device.
    func switchOn(isLocked: Bool) {
        guard !self.service.isOn else { return }
        self.apps.lockState = isLocked ? .neverUnlocked : .open
        self.time.clock.booted()
        self.service.disk.boots += 1
        self.timeline.add(.event, "device", isLocked ? "is switched on, and is locked" : "is switched on")
        if isLocked {
            self.service.bootedLocked()
        } else {
            self.startService(after: [])
        }
    }

    /// Starts the location service again, which starts the apps that ran before.
    func startService(after ran: [BundleID]) {
        self.service.start(
            self.apps.manifests,
            running: self.processes.livingApps.map { ($0.bundle, $0.phase) },
            gone: ran.filter { self.processes.app($0) == nil }
        )
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
