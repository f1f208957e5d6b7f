internal import Dispatch
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Ends an app that fills the disk, if each app runs as its own Linux user.
extension Daemon {
    /// Ends the running app that uses more than a quarter of the disk, if the disk is full or nearly full.
    func lookAtDisk() {
        self.folders.lookAtDisk(self.bundles.apps.keys.filter(self.processes.runs)) { [weak self] culprit in
            self?.assumeIsolated { $0.end(culprit) }
        }
    }

    private func end(_ bundle: BundleID) {
        self.logger.error(
            "an app was ended: the disk is almost full, and the app uses more than a quarter of it",
            metadata: ["app": "\(bundle)"]
        )
        self.carryOut(.close(bundle, by: .system)) { _ in }
    }
}
