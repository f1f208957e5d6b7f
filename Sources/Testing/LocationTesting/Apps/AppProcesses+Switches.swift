internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// The settings of a phone that keep apps from running.
extension AppProcesses {
    /// The app's manifest for the engine: an offloaded app has no extension.
    private func manifest(of app: AppUnderTest) -> AppManifest {
        var manifest = app.manifest
        if self.offloaded.contains(BundleID(app.bundle)) { manifest.hasPushExtension = false }
        return manifest
    }

    /// The manifests of all apps for the engine, by their bundle identifiers in order.
    var manifests: [(BundleID, AppManifest)] {
        self.installed.sorted { $0.key < $1.key }.map { ($0.key, self.manifest(of: $0.value)) }
    }

    func offload(_ bundle: BundleID) {
        guard self.service.isHeard("\(bundle) was to be offloaded"), let app = self.installed[bundle] else { return }
        guard self.offloaded.insert(bundle).inserted else { return }
        self.timeline.add(.event, bundle.rawValue, "is offloaded: its code is gone, its data stay")
        self.ending = .offload
        self.service.order(.install(bundle, self.manifest(of: app)))
    }

    /// Downloads an app again that was offloaded, as the system does when a person opens it.
    func download(_ bundle: BundleID) {
        guard let app = self.installed[bundle], self.offloaded.remove(bundle) != nil else { return }
        self.timeline.add(.event, bundle.rawValue, "is downloaded again")
        self.service.order(.install(bundle, self.manifest(of: app)))
    }

    /// The person signs out of an app: the app's files and defaults are removed; its token and the decisions about it stay.
    func signOut(of bundle: BundleID) {
        guard self.service.isOn("the person was to sign out of \(bundle)"), let container = self.containers[bundle]
        else { return }
        self.timeline.add(.event, "person", "signs out of \(bundle): its files and defaults are gone")
        container.empty()
    }

    func exhaustExtensionMemory(of bundle: BundleID) {
        guard let process = self.processes.pushExtension(of: bundle) else {
            return self.context.problems.add(
                "the memory of \(bundle)'s extension was to be exhausted, but it does not run: push to it first, and let time pass until "
                    + "VirtualApp.extensionRuns"
            )
        }
        self.processes.end(process, "is killed: it used more memory than an extension may")
    }

    func switchBackgroundRefresh(of bundle: BundleID, on: Bool) {
        guard self.service.isOn("background app refresh was to be switched") else { return }
        self.timeline.add(.event, "person", "switches background app refresh of \(bundle) \(on ? "on" : "off")")
        if on { self.withoutRefresh.remove(bundle) } else { self.withoutRefresh.insert(bundle) }
    }

    /// The reason why the system does not launch an app; nil if the system launches it.
    func refusal(of bundle: BundleID, _ arrival: Lifecycle.Arrival) -> String? {
        if self.offloaded.contains(bundle) { return "it is offloaded" }
        guard arrival.reason != .user else { return nil }
        if self.withoutRefresh.contains(bundle) { return "its background app refresh is off" }
        return self.gateway.savesPower ? "background app refresh is off in low power mode" : nil
    }
}
