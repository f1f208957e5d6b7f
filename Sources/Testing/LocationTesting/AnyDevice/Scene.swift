/// The state of a device as far as it decides which troubles are possible now.
struct Scene: Sendable, Hashable {
    /// One installed app.
    struct App: Sendable, Hashable {
        var bundle: String
        var isRunning = false
        var isForeground = false
        var isSuspended = false
        var isOffloaded = false
        var hasRefresh = true
        var hasExtension = false
        var extensionRuns = false
    }

    var apps: [App] = []
    /// The app whose question is on the screen, if the test left it to the story to answer.
    var asking: String?
    var isOn = true
    var isLocked = false
    /// Whether the location service runs.
    var isServing = true
    var areServicesOn = true
    var hasNetwork = true
    var savesPower = false
    var quirks: Set<Quirk> = []
    /// Whether a trouble already affects pushes.
    var delaysPushes = false

    private func app(_ bundle: String) -> App? { self.apps.first { $0.bundle == bundle } }

    /// Whether a trouble can happen now, and changes something.
    func allows(_ trouble: Trouble) -> Bool {
        switch trouble {
        case .answer(let bundle, _): !self.isLocked && self.asking == bundle
        case .set(let bundle, _), .setPrecise(let bundle, _): self.isUsable && self.app(bundle) != nil
        case .update(let bundle): self.isServing && self.app(bundle) != nil
        case .open(let bundle): self.isUsable && self.app(bundle).map { !$0.isForeground } ?? false
        case .leave(let bundle): self.app(bundle)?.isForeground ?? false
        case .close(let bundle): !self.isLocked && self.app(bundle)?.isRunning ?? false
        case .terminate(let bundle), .crash(let bundle): self.app(bundle)?.isRunning ?? false
        case .suspend(let bundle, _):
            self.app(bundle).map { $0.isRunning && !$0.isForeground && !$0.isSuspended } ?? false
        case .offload(let bundle):
            self.isServing && self.app(bundle).map { !$0.isForeground && !$0.isOffloaded } ?? false
        case .cutExtension(let bundle): self.app(bundle)?.extensionRuns ?? false
        case .backgroundRefreshOff(let bundle, _): self.isUsable && self.app(bundle)?.hasRefresh ?? false
        case .lock: self.isOn && !self.isLocked
        case .locationServicesOff: self.isUsable && self.areServicesOn
        case .airplaneMode: self.isOn && self.hasNetwork
        case .lowPowerMode: self.isOn && !self.savesPower
        case .serviceDown: self.isServing
        case .reboot: self.isUsable
        case .terminateAtAwait, .moveClock, .signalLost, .stray: true
        case .quirk(let quirk): !self.quirks.contains(quirk)
        case .pushesDoubled, .pushesDelayed, .pushesLost: !self.delaysPushes && self.hasExtensions
        case .newPushTokens, .pushBudgetSpent: self.isServing && self.hasExtensions
        }
    }

    /// Whether a person can use the device now.
    private var isUsable: Bool { self.isServing && !self.isLocked }

    private var hasExtensions: Bool { self.apps.contains { $0.hasExtension } }
}
