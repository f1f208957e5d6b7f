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
            try self.folders.removeFiles(of: bundle) { [weak self] rest, isSwept in
                self?.assumeIsolated { $0.removed(bundle, rest, isSwept: isSwept, for: key) }
            }
        } catch {
            self.refuse(error, to: key)
        }
    }

    private func removed(_ bundle: BundleID, _ rest: HeldDirectory.Rest, isSwept: Bool, for key: ObjectIdentifier) {
        do throws(DaemonError) {
            try self.folders.removed(bundle, rest)
            let left = "; files that it left in \(LeftFiles.folders.joined(separator: ", ")) are still there"
            let words = "\(bundle) is removed, with its container and its output\(isSwept ? "" : left)"
            self.reply(Self.done(words), to: key)
        } catch {
            self.refuse(error, to: key)
        }
    }
}
