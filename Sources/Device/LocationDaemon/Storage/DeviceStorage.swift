internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The files that the core's actions change: the snapshots, the pushes that wait, their accounts, and the log for the device's owner.
///
/// Used only on the daemon's queue.
final class DeviceStorage {
    /// Seals the files on disk.
    let seal: StateSeal
    let spool: PushSpool
    private let bounds: BoundLog
    private let logger: Logger
    private var accounts: PushAccountsFile
    private var snapshots: SnapshotStore
    private var lines: DeviceLog

    /// Opens the files in a state directory.
    init(_ state: String, seal: StateSeal, bounds: BoundLog, logger: Logger) throws(DaemonError) {
        self.seal = seal
        self.bounds = bounds
        self.logger = logger
        self.spool = try PushSpool(directory: state + "/pushes", seal: seal)
        self.accounts = PushAccountsFile(path: state + "/pushes.json", logger: logger)
        self.snapshots = SnapshotStore(directory: state, seal: seal)
        self.lines = DeviceLog(path: state + "/log.jsonl")
    }

    /// Restores the engine from the last snapshot, with the processes that an earlier locationd recorded; without a snapshot, it is new.
    func loadEngine(
        bundles: BundleStore,
        running records: [ProcessLedger.Record],
        policy: Policy
    ) throws -> Engine {
        let now = Clocks.now()
        let manifests = bundles.apps.sorted { $0.key < $1.key }.map { id, installed in
            (id, installed.bundle.manifest(approved: installed.approved))
        }
        if let (snapshot, elapsed) = try self.snapshots.load(now: now) {
            return Engine(
                restoring: snapshot,
                manifests: manifests,
                running: records.filter { bundles.runs($0) }.map { (BundleID($0.bundle), $0.phase) },
                policy: policy,
                elapsed: elapsed,
                now: now
            )
        }
        var engine = Engine(policy: policy, now: now)
        for (bundle, manifest) in manifests { _ = try engine.handle(.appInstalled(bundle, manifest), now: now) }
        return engine
    }

    func save(_ snapshot: EngineSnapshot, now: Now) throws { try self.snapshots.save(snapshot, now: now) }

    /// Whether the last snapshot lacks claims of apps.
    var lacksApps: Bool { !self.snapshots.appsLeftOut.isEmpty }

    // MARK: Pushes

    /// Reads the pushes that an earlier locationd stored, one by one; a push that crashed it is not handled again.
    func recoverPushes(_ recovered: (Push) -> Void) {
        let kept = self.spool.kept()
        self.bounds.count(.pushesSetAside, times: kept.setAside)
        for id in kept.pushes {
            if let push = self.spool.take(id) {
                recovered(push)
            } else {
                self.bounds.count(.pushesSetAside)
                self.logger.warning("a stored push cannot be read; locationd set it aside")
            }
            self.spool.survived(id)
        }
    }

    /// Writes the accounts of pushes, if they changed.
    func saveAccounts() { self.accounts.saveIfChanged() }

    func forgetAccount(of bundle: BundleID) { self.accounts.forget(bundle) }

    func pushAccounts(budget: (remaining: Int, capacity: Int)) -> WirePushAccounts {
        let accounts = self.accounts.accounts
        return .with {
            $0.total = .init(accounts.total, of: "")
            $0.apps = accounts.apps.sorted { $0.key < $1.key }.map { .init($0.value, of: $0.key) }
            $0.recent = accounts.recent.map { line in
                .with {
                    $0.time = line.time
                    $0.bundle = line.bundle
                    $0.outcome = line.outcome
                    $0.reason = line.reason
                }
            }
            $0.budgetRemaining = UInt32(clamping: budget.remaining)
            $0.budgetCapacity = UInt32(clamping: budget.capacity)
        }
    }

    // MARK: The log for the device's owner

    /// Records a decision of the core.
    func record(_ note: Note) {
        let now = Clocks.wall()
        self.accounts.record(note, time: now)
        let line = DeviceLog.Line(note, time: now)
        self.keep(line)
        self.logger.info("\(line.event)", metadata: ["app": "\(line.bundle)"])
    }

    /// Appends a line to the log, and reports a disk that refuses it: otherwise the owner could not see which app
    /// received a position.
    private func keep(_ line: DeviceLog.Line) {
        let wasWell = self.lines.fault == nil
        self.lines.append(line)
        if let fault = self.lines.fault {
            self.bounds.warn(
                .logLinesWaited,
                "the log for the device's owner cannot be written",
                ["reason": "\(fault)"]
            )
        } else if !wasWell {
            self.logger.info("the log for the device's owner is written again")
        }
    }

    func log(_ bundle: BundleID, _ event: String, _ text: String) {
        self.keep(
            DeviceLog.Line(time: Clocks.wall().microseconds, bundle: bundle.rawValue, event: event, text: text)
        )
    }

    /// Why the log cannot be written, after all waiting lines were tried; nil if it can.
    func flushLog() -> String? {
        self.lines.flush()
        return self.lines.fault
    }

    func logLines(_ order: WireLogRequest) -> WireControlReply {
        let lines = self.lines.last(min(Int(order.last), DeviceLog.linesMax), bundle: order.bundle)
        return .with {
            $0.log = .with {
                $0.lines = lines.map { line in
                    .with {
                        $0.time = line.time
                        $0.bundle = line.bundle
                        $0.event = line.event
                        $0.text = line.text
                    }
                }
            }
        }
    }
}

extension WirePushCounts {
    fileprivate init(_ counts: PushAccounts.Counts, of bundle: String) {
        self.init()
        self.bundle = bundle
        self.received = UInt64(clamping: counts.received)
        self.handed = UInt64(clamping: counts.handed)
        self.completed = UInt64(clamping: counts.completed)
        self.abandoned = UInt64(clamping: counts.abandoned)
        self.replaced = UInt64(clamping: counts.replaced)
        self.refused = counts.refused.sorted { $0.key < $1.key }.map { reason, count in
            .with {
                $0.reason = reason
                $0.count = UInt64(clamping: count)
            }
        }
    }
}
