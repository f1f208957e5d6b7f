internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// The settings of a phone that keep apps from running, or delay pushes.
extension DeviceHost {
    /// The state of the switches; it outlives the location service.
    struct Phone {
        /// The apps whose code is removed and whose data and decisions stay.
        var offloaded: Set<BundleID> = []
        /// The apps that the system launches only into the foreground.
        var withoutRefresh: Set<BundleID> = []
    }

    /// The app's manifest for the engine: an offloaded app has no extension.
    func manifest(of app: AppUnderTest) -> AppManifest {
        var manifest = app.manifest
        if self.phone.offloaded.contains(BundleID(app.bundle)) { manifest.hasPushExtension = false }
        return manifest
    }

    func offload(_ bundle: BundleID) {
        guard self.service.isHeard("\(bundle) was to be offloaded"), let app = self.apps[bundle] else { return }
        guard self.phone.offloaded.insert(bundle).inserted else { return }
        self.timeline.add(.event, bundle.rawValue, "is offloaded: its code is gone, its data stay")
        self.ending = .offload
        self.service.order(.install(bundle, self.manifest(of: app)))
    }

    /// Downloads an app again that was offloaded, as the system does when a person opens it.
    func download(_ bundle: BundleID) {
        guard let app = self.apps[bundle], self.phone.offloaded.remove(bundle) != nil else { return }
        self.timeline.add(.event, bundle.rawValue, "is downloaded again")
        self.service.order(.install(bundle, self.manifest(of: app)))
    }

    /// The person signs out of an app: the app's files and defaults are removed; its token and the decisions about it stay.
    func signOut(of bundle: BundleID) {
        guard self.service.isOn("the person was to sign out of \(bundle)"), let container = self.containers[bundle]
        else {
            return
        }
        self.timeline.add(.event, "person", "signs out of \(bundle): its files and defaults are gone")
        container.empty()
    }

    func exhaustExtensionMemory(of bundle: BundleID) {
        guard let process = self.processes.pushExtension(of: bundle) else {
            return self.problems.add(
                "the memory of \(bundle)'s extension was to be exhausted, but it does not run: push to it first, and let time pass until "
                    + "VirtualApp.extensionRuns"
            )
        }
        self.processes.end(process, "is killed: it used more memory than an extension may")
    }

    func switchBackgroundRefresh(of bundle: BundleID, on: Bool) {
        guard self.service.isOn("background app refresh was to be switched") else { return }
        self.timeline.add(.event, "person", "switches background app refresh of \(bundle) \(on ? "on" : "off")")
        if on { self.phone.withoutRefresh.remove(bundle) } else { self.phone.withoutRefresh.insert(bundle) }
    }

    /// The reason why the system does not launch an app; nil if the system launches it.
    func refusal(of bundle: BundleID, _ arrival: Lifecycle.Arrival) -> String? {
        if self.phone.offloaded.contains(bundle) { return "it is offloaded" }
        guard arrival.reason != .user else { return nil }
        if self.phone.withoutRefresh.contains(bundle) { return "its background app refresh is off" }
        return self.gateway.savesPower ? "background app refresh is off in low power mode" : nil
    }
}
