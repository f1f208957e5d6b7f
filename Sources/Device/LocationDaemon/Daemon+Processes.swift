internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// Performs the core's orders about processes: checks the files of an app before its start, and connects it.
extension Daemon {
    func perform(_ order: DeviceCore.ProcessOrder) {
        switch order {
        case .startApp(let bundle, let arguments, _):
            self.processes.whenSwept(bundle) { [weak self] fault in
                self?.assumeIsolated { $0.startApp(bundle, arguments, fault: fault) }
            }
        case .endApp(let bundle):
            self.processes.endApp(bundle)
            self.clients.release(bundle)
        case .killApp(let bundle): self.processes.killApp(bundle)
        // Packets wait until the app resumes.
        case .freeze(let bundle):
            self.clients.hold(bundle)
            self.processes.freeze(bundle)
        case .thaw(let bundle):
            self.processes.thaw(bundle)
            self.clients.release(bundle)
        case .startExtension(let bundle, let launch):
            self.processes.whenSwept(bundle) { [weak self] fault in
                self?.assumeIsolated { $0.startExtension(of: bundle, launch, fault: fault) }
            }
        case .killExtension(let launch): self.processes.killExtension(launch)
        }
    }

    private func startExtension(of bundle: BundleID, _ launch: LaunchID, fault: DaemonError?) {
        do throws(DaemonError) {
            if let fault { throw fault }
            guard let inside = try self.intactApp(bundle).bundle.pushExtension else {
                throw DaemonError("\(bundle) has no location push service extension")
            }
            let socket = try self.processes.startExtension(launch, of: bundle, inside.executable)
            // Passed to the process at its start, so that the peer is the process or a descendant.
            self.clients.connect(
                socket,
                Principal(bundle: bundle, role: .pushExtension(launch)),
                Caller(),
                process: nil
            )
        } catch {
            self.logger.error("an extension could not be started", metadata: ["reason": "\(error)"])
            self.feed(.extensionEnded(launch, .neverStarted(0)))
        }
    }

    private func startApp(_ bundle: BundleID, _ arguments: [String], fault: DaemonError?) {
        do throws(DaemonError) {
            if let fault { throw fault }
            let executable = try self.intactApp(bundle).bundle.executable
            let script = self.bundles.script(of: bundle)
            let socket = try self.processes.startApp(bundle, executable, arguments, script: script)
            self.clients.connect(socket, Principal(bundle: bundle, role: .app), Caller(), process: nil)
            self.feed(.appStarted(bundle))
        } catch {
            self.logger.error("an app could not be started", metadata: ["reason": "\(error)"])
            self.feed(.appNotStarted(bundle, reason: error.description))
        }
    }

    /// Returns the app if its files are unchanged; otherwise revokes its approvals and throws.
    func intactApp(_ bundle: BundleID) throws(DaemonError) -> BundleStore.Installed {
        guard self.bundles.apps[bundle] != nil else { throw self.orderErrors.unknown(bundle) }
        if self.bundles.filesChanged(of: bundle), let now = self.bundles.apps[bundle] {
            self.storage.log(
                bundle,
                "files-changed",
                "The app's files changed since it was installed; approvals are lost."
            )
            let manifest = now.bundle.manifest(approved: now.approved)
            self.feed(.appInstalled(bundle, manifest))
        }
        guard let installed = self.bundles.apps[bundle], installed.isIntact else {
            throw DaemonError("the files of \(bundle) changed since it was installed; install it again")
        }
        return installed
    }
}
