internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The facts that `locationctl doctor` judges (``Diagnosis``).
extension DeviceReport {
    /// The doctor's findings.
    var diagnosis: WireDiagnosis { .with { $0.findings = Diagnosis.findings(self.facts).map(WireFinding.init) } }

    private var facts: DeviceFacts {
        var facts = DeviceFacts(
            areServicesOn: self.engine.areServicesOn,
            sources: self.sources.facts,
            gateway: self.configuration.gateway?.words,
            gatewayState: self.gatewayState,
            appsWithPushes: self.bundles.apps.values.count { $0.bundle.pushExtension != nil },
            brokenApps: self.bundles.broken.sorted { $0.key < $1.key }.map {
                .init(bundle: $0.key.rawValue, reason: $0.value.description)
            },
            silentApps: self.silentApps,
            agents: self.agents.greetedCount,
            isAsking: self.engine.currentPrompt != nil,
            state: self.stateFacts,
            runtimeFault: OwnDirectory.fault(ofRuntime: self.configuration.runtimeDirectory),
            logFault: self.storage.flushLog(),
            nmeaSocket: self.nmea?.facts(self.engine.status(of: NMEAReaders.bundle)),
            isRoot: geteuid() == 0,
            appUsers: self.folders.users?.range,
            appsWithoutUser: self.folders.appsWithoutUser(among: self.bundles.apps.keys),
            polkit: self.polkit.state,
            supervision: .ofThisProcess,
            hasCgroups: self.processes.hasCgroups,
            isClockKept: Self.isClockKept
        )
        // Try with an app's rights, as the last user of the range.
        if let user = self.folders.users?.range.upperBound { facts.tryGPSD(as: user) }
        facts.isReplaced = Self.isReplaced
        return facts
    }

    /// The apps that accept location pushes but do not answer them at present, and why; a used-up budget does not
    /// count, because it refills.
    private var silentApps: [DeviceFacts.SilentApp] {
        return self.bundles.apps.keys.sorted().compactMap { bundle in
            guard let status = self.engine.status(of: bundle), status.monitorsPushes else { return nil }
            let push = Push(
                id: PushID(high: 0, low: 0),
                bundle: bundle,
                payload: Array("{}".utf8),
                expiration: nil,
                received: Clocks.now().monotonic
            )
            let passing: Set<PushCheck> = [.services, .budget, .share, .room]
            let checks = self.engine.pushChecks(for: push).filter { !passing.contains($0.check) }
            guard let unmet = checks.first(where: { !$0.isMet })?.check else { return nil }
            return DeviceFacts.SilentApp(
                bundle: bundle.rawValue,
                check: unmet,
                needsOpening: status.needsOpening,
                remedy: self.pushCheckWords.words(unmet, push).2
            )
        }
    }

    var stateFacts: DeviceFacts.State {
        DeviceFacts.State(
            path: self.configuration.stateDirectory,
            unsavedReason: self.core.unsavedReason,
            isSealedByCredential: self.configuration.credentialsDirectory != nil
        )
    }

    /// Whether this process runs a program file that has been replaced.
    static var isReplaced: Bool {
        // The kernel appends " (deleted)" to the path of a file that was removed or replaced by a rename.
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return path?.hasSuffix(" (deleted)") ?? false
    }

    private static var isClockKept: Bool? {
        let isKept = clinux_is_clock_kept()
        return isKept < 0 ? nil : isKept == 1
    }
}

extension DeviceFacts {
    /// The key of gpsd's shared memory, `GPSD_SHM_KEY` in gpsd.h: "GPSD".
    private static let gpsdMemory: key_t = 0x4750_5344

    /// Tries to read the positions of this machine's gpsds as a user.
    mutating func tryGPSD(as user: uid_t) {
        let ports = self.gpsdPorts.map { clinux_reaches_port(user, $0) }
        if ports.contains(where: { $0 >= 0 }) { self.appsReachGPSD = ports.contains(1) }
        let memory = clinux_reads_memory(user, Self.gpsdMemory)
        self.appsReadGPSDMemory = memory == 1
        self.untriedWays = (ports.contains { $0 < 0 } ? ["gpsd's port"] : []) + (memory < 0 ? ["gpsd's memory"] : [])
    }
}

extension DeviceFacts.State {
    /// Queries the file system of the directory.
    fileprivate init(path: String, unsavedReason: String?, isSealedByCredential: Bool) {
        let disk = DiskShare.Disk(of: path)
        self.init(
            path: path,
            bytesFree: disk?.free.bytes,
            isShortOfFiles: disk?.isShortOfFiles ?? false,
            isInMemory: unsafe clinux_is_in_memory(path) == 1,
            fault: OwnDirectory.fault(in: path),
            unsavedReason: unsavedReason,
            isSealedByCredential: isSealedByCredential
        )
    }
}

extension DeviceFacts.Supervision {
    /// The service manager of this process, according to systemd's environment variables (systemd.exec(5)).
    fileprivate static var ofThisProcess: Self {
        guard ProcessInfo.processInfo.environment["INVOCATION_ID"] != nil else { return .none }
        guard geteuid() != 0 else { return .system }
        let name = ProcessInfo.processInfo.userName
        return .user(name, lingers: FileManager.default.fileExists(atPath: "/var/lib/systemd/linger/\(name)"))
    }
}

extension WireFinding {
    fileprivate init(_ finding: Finding) {
        self = .with {
            $0.severity =
                switch finding.severity {
                case .fine: .fine
                case .note: .note
                case .trouble: .trouble
                }
            $0.subject = finding.subject
            $0.words = finding.words
            $0.remedy = finding.remedy ?? ""
        }
    }
}
