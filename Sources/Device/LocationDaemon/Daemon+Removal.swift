internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Removing apps: their processes end first, then their files are moved aside in one step, and removed in the
/// background.
extension Daemon {
    /// The suffix of the name of a container that is being removed.
    private static let asideSuffix = ".removed"

    /// Removes an app's files, and reports what remains.
    func removeFiles(of bundle: BundleID, for key: ObjectIdentifier) {
        self.endAll(of: bundle) { daemon, isWhole in
            do throws(DaemonError) {
                guard isWhole else { throw Self.endlessProcesses(of: bundle, user: daemon.appUsers?.numbers[bundle]) }
                try daemon.bundles.uninstall(bundle)
                daemon.accounts.forget(bundle)
                for name in ["", ".old"] { unsafe unlink(daemon.outputPath(of: bundle) + name) }
                let aside = try daemon.putContainerAside(bundle)
                // Keep the files in shared folders if the machine has an account with this user ID.
                let user = daemon.appUsers?.numbers[bundle].flatMap { unsafe getpwuid($0) == nil ? $0 : nil }
                daemon.removeContainers(aside, of: user) { $0.removed(bundle, $1, isSwept: $2, for: key) }
            } catch {
                daemon.refuse(error, to: key)
            }
        }
    }

    /// Renames a container in one step, so that a reinstalled app starts with a new one.
    ///
    /// - Returns: its new name in the folder of all containers; empty if there is no container.
    private func putContainerAside(_ bundle: BundleID) throws(DaemonError) -> [String] {
        let path = self.container(of: bundle)
        let aside = ".\(bundle.rawValue).\(UUID().uuidString)\(Self.asideSuffix)"
        let place = "\(self.configuration.stateDirectory)/containers/\(aside)"
        guard unsafe rename(path, place) != 0 else { return [aside] }
        guard errno == ENOENT else {
            throw DaemonError("cannot remove \(path): \(unsafe String(cString: strerror(errno)))")
        }
        return []
    }

    /// Removes containers off the daemon's queue: an app may have stored very many files.
    ///
    /// - Parameters:
    ///   - names: the names in the folder of all containers.
    ///   - user: the user whose files in shared folders such as /tmp are removed, too; nil: only containers are removed.
    ///   - removed: receives what could not be removed, and whether the files in shared folders are gone.
    private func removeContainers(
        _ names: [String],
        of user: uid_t? = nil,
        then removed: @escaping @Sendable (isolated Daemon, HeldDirectory.Rest, _ isSwept: Bool) -> Void
    ) {
        let (queue, containers) = (self.executor.queue, self.configuration.stateDirectory + "/containers")
        self.removing.async {
            var all = HeldDirectory.Rest()
            do throws(DaemonError) {
                let held = try HeldDirectory(path: containers)
                for name in names {
                    let rest = HeldDirectory.remove(name, in: held)
                    all = HeldDirectory.Rest(count: all.count + rest.count, reason: all.reason ?? rest.reason)
                }
            } catch {
                all = HeldDirectory.Rest(count: 1, reason: error.description)
            }
            let isSwept = user.map { LeftFiles.remove(of: $0) } ?? true
            queue.async { [weak self, all] in self?.assumeIsolated { removed($0, all, isSwept) } }
        }
    }

    private func removed(_ bundle: BundleID, _ rest: HeldDirectory.Rest, isSwept: Bool, for key: ObjectIdentifier) {
        do throws(DaemonError) {
            guard rest.count == 0 else {
                throw DaemonError(
                    "\(bundle) is removed, but not its container: \(rest.count) files or folders in "
                        + "\(self.configuration.stateDirectory)/containers/.\(bundle).*\(Self.asideSuffix) stay "
                        + "(\(rest.reason ?? "unknown")). locationd tries again at its next start"
                )
            }
            try self.takeUserBack(from: bundle)
            let left = "; files that it left in \(LeftFiles.folders.joined(separator: ", ")) are still there"
            let words = "\(bundle) is removed, with its container and its output\(isSwept ? "" : left)"
            self.reply(Self.done(words), to: key)
        } catch {
            self.refuse(error, to: key)
        }
    }

    /// Removes the containers whose removal an earlier locationd did not finish.
    func removeLeftContainers() {
        let containers = self.configuration.stateDirectory + "/containers"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: containers)) ?? []
        let left = names.filter { $0.hasPrefix(".") && $0.hasSuffix(Self.asideSuffix) }
        guard !left.isEmpty else { return }
        self.removeContainers(left) { daemon, rest, _ in
            guard rest.count > 0 else { return }
            daemon.logger.error(
                "files of removed apps stay",
                metadata: ["folder": "\(containers)", "count": "\(rest.count)", "reason": "\(rest.reason ?? "")"]
            )
        }
    }
}
