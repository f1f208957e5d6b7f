internal import WhereaboutsLocationEngine

/// The lock of the device.
extension AppProcesses {
    /// Whether the device can be used.
    enum Lock {
        case open
        /// The device is locked; the value is the app that was in the foreground.
        case locked(BundleID?)
        /// The device was not unlocked since it was switched on, and its location service has not started.
        case neverUnlocked
    }

    var isLocked: Bool { if case .open = self.lockState { false } else { true } }

    /// Whether an app may be started or shown; if not, this is reported as a problem of the test.
    func mayStart(_ bundle: BundleID, _ phase: Lifecycle.Phase) -> Bool {
        guard self.service.isOn("\(bundle) was to be started") else { return false }
        switch (self.lockState, phase) {
        case (.open, _), (.locked, .background): return true
        case (.locked, .foreground):
            self.context.problems.add(
                "\(bundle) was to be opened, but the device is locked: call person.unlock() before"
            )
        case (.neverUnlocked, _):
            self.context.problems.add(
                "\(bundle) was to be started, but the device was not unlocked since it was switched on: call person.unlock() before"
            )
        }
        return false
    }

    func lock() {
        guard self.service.isOn("the device was to be locked"), !self.isLocked else { return }
        let front = self.processes.livingApps.first { $0.phase == .foreground }
        self.timeline.add(.event, "person", "locks the device")
        if let front { self.leave(front.bundle) }
        self.lockState = .locked(front?.bundle)
    }

    /// Unlocks the device; returns whether its location service waited for that.
    func unlock() -> Bool {
        guard self.service.isOn("the device was to be unlocked") else { return false }
        let before = self.lockState
        self.lockState = .open
        switch before {
        case .open: break
        case .locked(let front):
            self.timeline.add(.event, "person", "unlocks the device")
            if let front, self.processes.app(front) != nil { self.open(front) }
        case .neverUnlocked:
            self.timeline.add(.event, "person", "unlocks the device for the first time")
            return true
        }
        return false
    }
}
