internal import Foundation
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Opens the socket of ``NMEAReaders``, and installs their app.
extension Daemon {
    /// Opens the socket, if one is configured.
    func makeNMEAPort() throws(DaemonError) {
        guard let path = self.configuration.nmeaSocket else { return }
        self.nmea = try NMEAReaders(
            path: path,
            others: self.configuration.nmeaReaders,
            bounds: self.bounds,
            logger: self.logger,
            reach: Reach(daemon: self.reference) { $0.nmea },
            isOfApp: { [weak self] pid, user in
                self?.assumeIsolated { pid.map($0.isOfApp) ?? $0.isAppsUser(user) } ?? true
            },
            readersChanged: { [weak self] in self?.assumeIsolated { $0.followReaders() } }
        )
        self.nmea?.activate()
    }

    private func followReaders() {
        guard !self.isStopping else { return }
        self.nmea?.followReaders { () throws(DaemonError) in
            try self.installNMEA()
        } takeClient: {
            self.clients.takeID()
        }
    }

    /// Installs the app, unless it is installed with the right files.
    private func installNMEA() throws(DaemonError) {
        if let installed = self.bundles.apps[NMEAReaders.bundle], installed.isIntact,
            NMEAApp.isComplete(at: installed.bundle.path)
        {
            return
        }
        self.nextInstallation += 1
        let staging = self.bundles.staging(self.nextInstallation)
        let original = staging + ".new"
        defer {
            for path in [staging, original] { try? FileManager.default.removeItem(atPath: path) }
        }
        let app = try NMEAApp.write(in: original)
        let copy = try BundleStore.copy(app, to: staging, approving: [], capabilities: [], seal: self.storage.seal)
        let installed = try self.bundles.install(copy)
        try self.folders.openFiles(of: NMEAReaders.bundle)
        self.feed(.appInstalled(NMEAReaders.bundle, installed.bundle.manifest(approved: installed.approved)))
    }
}
