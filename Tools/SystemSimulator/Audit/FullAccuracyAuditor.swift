internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Keeps account of temporary full accuracy, which a person allows an app until the app is no longer in use.
final class FullAccuracyAuditor {
    private unowned let world: Simulation
    private var lent: Set<AppKey> = []
    /// The launch in which each app last had temporary full accuracy.
    private var launches: [AppKey: Int] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// Whether the app has temporary full accuracy.
    func isLent(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        self.lent.contains(AppKey(device, bundle)) && self.isUsed(device, bundle)
    }

    /// locationd restarts: after a failed write or a rollback, the disk may still have permissions that have ended.
    func deviceStarted(_ device: DeviceNode) {
        for bundle in device.bundles {
            let app = AppKey(device, bundle)
            if let launch = self.launches[app], device.apps[bundle]?.launch == launch { self.lent.insert(app) }
        }
        self.lapse(on: device)
    }

    /// A device's core is about to handle an event; the other auditors are notified later.
    func deviceWill(_ event: DeviceCore.Event, _ device: DeviceNode) {
        self.lapse(on: device)
        switch event {
        case .happened(.promptAnswered(let id, .allowFullAccuracy)):
            guard let prompt = device.prompt, prompt.id == id else { return }
            self.lent.insert(AppKey(device, prompt.bundle))
            self.launches[AppKey(device, prompt.bundle)] = device.apps[prompt.bundle]?.launch
            self.world.census.add("full accuracy is lent")
        case .ordered(.change(let change), _):
            guard let bundle = change.bundle, change.isPrecise != nil else { return }
            self.lent.remove(AppKey(device, bundle))
        default: break
        }
    }

    func deviceDid(_ device: DeviceNode) { self.lapse(on: device) }

    private func lapse(on device: DeviceNode) {
        if self.lent.isEmpty { return }
        for bundle in device.bundles where !self.isUsed(device, bundle) {
            if self.lent.remove(AppKey(device, bundle)) != nil { self.world.census.add("full accuracy lapses") }
        }
    }

    /// Whether the app has a process, and is in use.
    private func isUsed(_ device: DeviceNode, _ bundle: BundleID) -> Bool {
        device.apps[bundle] != nil && self.world.auditors.sessions.isInUse(device, bundle)
    }
}
