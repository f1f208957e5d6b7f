internal import Dispatch
internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages

/// Installs apps: copies and hashes a bundle in the background, then puts the copy in place on the daemon's queue.
extension Daemon {
    /// The maximum number of waiting installations; more are a mistake, and each may store a whole copy.
    static let installationsMax = 8

    /// Starts an installation; the control connection that ordered it receives the result.
    func install(
        _ order: WireInstallRequest,
        for key: ObjectIdentifier
    ) throws(DaemonError) {
        guard self.installations < Self.installationsMax else {
            throw DaemonError(
                "\(self.installations) installations are in progress, which is the limit; try again when one has ended"
            )
        }
        self.installations += 1
        self.nextInstallation += 1
        let staging = self.bundles.staging(self.nextInstallation)
        let (seal, reader) = (self.storage.seal, self.tools.socket(of: key)?.reader)
        let (own, copying) = (self.executor.queue, self.copying)
        copying.async { [weak self] in
            let copy = Result { () throws(DaemonError) in
                try BundleStore.copy(
                    order.path,
                    as: reader,
                    to: staging,
                    approving: Set(order.approvedEntitlements),
                    capabilities: DaemonConfiguration.capabilities,
                    seal: seal
                )
            }
            own.async { [weak self] in
                self?.assumeIsolated { $0.copied(copy, isOfBroker: order.ofBroker, for: key) }
                // Remove the earlier version or the failed copy, which could fill the disk.
                copying.async { try? FileManager.default.removeItem(atPath: staging) }
            }
        }
    }

    private func copied(_ copy: Result<BundleStore.Copy, DaemonError>, isOfBroker: Bool, for key: ObjectIdentifier) {
        self.installations -= 1
        guard !self.isStopping else { return }
        do throws(DaemonError) {
            let copied = try copy.get()
            let present = Array(self.bundles.apps.keys) + self.bundles.broken.keys
            try ProgramApps.checkKind(of: copied.id, isOfBroker: isOfBroker, beside: present)
            let installed = try self.bundles.install(copied)
            let bundle = installed.bundle
            try self.folders.openFiles(of: bundle.id)
            let ran = self.processes.runs(bundle.id)
            self.carryOut(
                .install(bundle.id, bundle.manifest(approved: installed.approved)),
                for: key
            ) { _ in
                let ended = ran ? ["the running version was ended; start this one: locationctl run \(bundle.id)"] : []
                let warnings = bundle.warnings + self.folders.warnings(for: bundle.id, among: self.bundles.apps.keys)
                let words = ["\(bundle.name) (\(bundle.id)) is installed"] + ended + warnings
                return words.joined(separator: "\nbut ")
            }
        } catch {
            self.refuse(error, to: key)
        }
    }
}
