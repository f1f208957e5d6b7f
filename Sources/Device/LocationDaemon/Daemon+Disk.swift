internal import Dispatch
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Ends an app that fills the disk, if apps have their own users.
extension Daemon {
    /// The least time between two measurements of what apps store.
    private static let pauseBetweenLooks = Duration.seconds(10)

    /// Ends the running app that uses more than a quarter of the disk, if the disk is full or nearly full.
    func lookAtDisk() {
        let now = Clocks.now().monotonic
        guard self.folders.users != nil, !self.isLookingAtDisk,
            self.lastLookAtDisk.map({ $0.duration(to: now) > Self.pauseBetweenLooks }) ?? true
        else { return }
        guard let disk = DiskShare.Disk(of: self.configuration.stateDirectory), disk.isFull else { return }
        self.lastLookAtDisk = now
        self.isLookingAtDisk = true
        let running = self.bundles.apps.keys.filter { self.processes.runs($0) }
        self.folders.findCulprit(among: Array(running), on: disk) { [weak self] culprit in
            self?.assumeIsolated { $0.lookedAtDisk(culprit) }
        }
    }

    private func lookedAtDisk(_ culprit: BundleID?) {
        self.isLookingAtDisk = false
        guard let bundle = culprit else { return }
        self.logger.error(
            "an app was ended: the disk is almost full, and the app uses more than a quarter of it",
            metadata: ["app": "\(bundle)"]
        )
        self.carryOut(.close(bundle, by: .system)) { _ in }
    }
}
