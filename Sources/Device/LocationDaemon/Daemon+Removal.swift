internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Removing apps: their processes end first, then their files are moved aside in one step, and removed in the
/// background.
extension Daemon {
    /// Removes an app's files, and reports what remains.
    func removeFiles(of bundle: BundleID, for key: ObjectIdentifier) {
        self.processes.endAll(of: bundle) { [weak self] isWhole in
            self?.assumeIsolated { $0.removeFiles(of: bundle, isWhole: isWhole, for: key) }
        }
    }

    private func removeFiles(of bundle: BundleID, isWhole: Bool, for key: ObjectIdentifier) {
        do throws(DaemonError) {
            guard isWhole else { throw self.processes.endlessProcesses(of: bundle) }
            try self.bundles.uninstall(bundle)
            self.storage.forgetAccount(of: bundle)
            for name in ["", ".old"] { unsafe unlink(self.folders.outputPath(of: bundle) + name) }
            let aside = try self.folders.putContainerAside(bundle)
            // Keep the files in shared folders if the machine has an account with this user ID.
            let user = self.folders.user(of: bundle).flatMap { unsafe getpwuid($0) == nil ? $0 : nil }
            self.folders.removeContainers(aside, of: user) { [weak self] rest, isSwept in
                self?.assumeIsolated { $0.removed(bundle, rest, isSwept: isSwept, for: key) }
            }
        } catch {
            self.refuse(error, to: key)
        }
    }

    private func removed(_ bundle: BundleID, _ rest: HeldDirectory.Rest, isSwept: Bool, for key: ObjectIdentifier) {
        do throws(DaemonError) {
            guard rest.count == 0 else {
                throw DaemonError(
                    "\(bundle) is removed, but not its container: \(rest.count) files or folders in "
                        + "\(self.folders.remains(of: bundle)) stay "
                        + "(\(rest.reason ?? "unknown")). locationd tries again at its next start"
                )
            }
            try self.folders.takeUserBack(from: bundle)
            let left = "; files that it left in \(LeftFiles.folders.joined(separator: ", ")) are still there"
            let words = "\(bundle) is removed, with its container and its output\(isSwept ? "" : left)"
            self.reply(Self.done(words), to: key)
        } catch {
            self.refuse(error, to: key)
        }
    }

    /// Removes the containers whose removal an earlier locationd did not finish.
    func removeLeftContainers() {
        let (left, containers, logger) = (self.folders.leftContainers, self.folders.containers, self.logger)
        guard !left.isEmpty else { return }
        self.folders.removeContainers(left) { rest, _ in
            guard rest.count > 0 else { return }
            logger.error(
                "files of removed apps stay",
                metadata: ["folder": "\(containers)", "count": "\(rest.count)", "reason": "\(rest.reason ?? "")"]
            )
        }
    }
}
