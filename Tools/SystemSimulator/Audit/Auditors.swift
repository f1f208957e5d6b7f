internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// The auditors of a run; each objects when one of its rules is broken.
///
/// Each keeps its own account from events outside the engines, and compares it with what the engines do.
final class Auditors {
    let will: WillAuditor
    let sessions: SessionAuditor
    let diagnostics: DiagnosticsAuditor
    let privacy: PrivacyAuditor
    let order: AuthorizationOrderAuditor
    let pushes: PushAuditor
    let extensions: ExtensionAuditor
    let requests: RequestAuditor
    let wakes: WakeAuditor
    let followings: FollowingAuditor
    let schedules: ScheduleAuditor
    let disks: DiskAuditor
    let service: ServiceAuditor
    let conditions: ConditionAuditor
    let travel: TravelAuditor
    let beacons: BeaconAuditor
    let relay: RelayAuditor
    let devices: DeviceAuditor
    let places: ApproximatePlaceAuditor
    let accuracy: FullAccuracyAuditor
    let stays: StayAuditor
    let shares: ShareAuditor
    let hoards: HoardAuditor
    let orphans: OrphanAuditor

    init(_ world: Simulation) {
        self.will = WillAuditor(world)
        self.sessions = SessionAuditor(world)
        self.diagnostics = DiagnosticsAuditor(world)
        self.privacy = PrivacyAuditor(world)
        self.order = AuthorizationOrderAuditor(world)
        self.pushes = PushAuditor(world)
        self.extensions = ExtensionAuditor(world)
        self.requests = RequestAuditor(world)
        self.wakes = WakeAuditor(world)
        self.followings = FollowingAuditor(world)
        self.schedules = ScheduleAuditor(world)
        self.disks = DiskAuditor(world)
        self.service = ServiceAuditor(world)
        self.conditions = ConditionAuditor(world)
        self.travel = TravelAuditor(world)
        self.beacons = BeaconAuditor(world)
        self.relay = RelayAuditor(world)
        self.devices = DeviceAuditor(world)
        self.places = ApproximatePlaceAuditor(world)
        self.accuracy = FullAccuracyAuditor(world)
        self.stays = StayAuditor(world)
        self.shares = ShareAuditor(world)
        self.hoards = HoardAuditor(world)
        self.orphans = OrphanAuditor(world)
    }

    /// locationd restarts on a device; its engine exists and has received no input.
    func deviceStarted(_ device: DeviceNode) {
        self.will.deviceStarted(device)
        self.sessions.deviceStarted(device)
        self.diagnostics.deviceStarted(device)
        self.order.deviceStarted(device)
        self.pushes.deviceStarted(device)
        self.travel.deviceStarted(device)
        self.places.deviceStarted(device)
        self.accuracy.deviceStarted(device)
        self.stays.deviceStarted(device)
        self.orphans.deviceStarted(device)
    }

    /// A process is being given an update of a stream.
    func told(_ update: Update, on stream: UInt64, to process: SimulatedProcess) {
        self.privacy.given(update, on: stream, to: process)
        self.travel.told(update, on: stream, to: process)
        self.beacons.told(update, on: stream, to: process)
        self.places.told(update, on: stream, to: process)
        self.stays.told(update, on: stream, to: process)
    }

    /// locationd's files were replaced by a copy from some time before.
    func deviceRolledBack(_ device: DeviceNode, by span: Duration) {
        self.will.deviceRolledBack(device, by: span)
        self.sessions.deviceRolledBack(device, by: span)
        self.pushes.deviceRolledBack(device)
        self.beacons.deviceRolledBack(device, by: span)
    }

    /// An app is removed from a device, with the person's decisions about it.
    func removed(_ bundle: BundleID, on device: DeviceNode) {
        self.will.removed(bundle, on: device)
        self.sessions.removed(bundle, on: device)
        self.beacons.removed(bundle, on: device)
    }

    /// A device's core is about to handle an event.
    func deviceWill(_ event: DeviceCore.Event, _ device: DeviceNode) {
        self.will.deviceWill(event, device)
        // Before the session auditor, because this depends on the sessions before the event.
        self.accuracy.deviceWill(event, device)
        self.sessions.deviceWill(event, device)
    }

    /// A device's core handled an event, and its actions were performed.
    func deviceDid(_ event: DeviceCore.Event, _ actions: [DeviceCore.Action], _ device: DeviceNode) {
        self.diagnostics.told(actions, device)
        self.extensions.told(actions, device)
        self.disks.told(actions, device)
        // Skip measurements: there are many, and they change nothing in these accounts.
        if case .happened(.sensed(let report)) = event, report.isMeasurement { return }
        let statuses = device.statuses
        self.will.deviceDid(device, statuses)
        self.sessions.deviceDid(device, statuses)
        self.accuracy.deviceDid(device)
        self.diagnostics.deviceDid(device)
        self.extensions.deviceDid(device)
    }
}

/// An app on a device.
struct AppKey: Hashable {
    var device: Int
    var bundle: BundleID

    init(_ device: DeviceNode, _ bundle: BundleID) {
        self.device = device.index
        self.bundle = bundle
    }
}

/// A condition's name.
struct ConditionName: Hashable {
    var device: Int
    var bundle: BundleID
    var identifier: String

    init(_ identifier: String, of process: SimulatedProcess) {
        self.device = process.device.index
        self.bundle = process.bundle
        self.identifier = identifier
    }
}

/// A value of an auditor's account, and the values that a restart may find on disk: the last saved value, a value whose write failed but may
/// have reached the disk, or the value that was being written.
struct Saved<Value: Equatable> {
    private(set) var current: Value
    private var onDisk: Value
    private var pending: Value?
    /// Later values whose writes failed, each of which may be on disk.
    private var unsynced: [Value] = []

    init(_ value: Value) {
        self.current = value
        self.onDisk = value
    }

    /// The value in force, including a change under way.
    var newest: Value { self.pending ?? self.current }

    /// Begins a change, which `done()` completes.
    mutating func begin(_ change: (inout Value) -> Void) {
        var value = self.newest
        change(&value)
        self.pending = value
    }

    mutating func done() {
        if let pending { self.current = pending }
        self.pending = nil
    }

    mutating func saved() {
        self.onDisk = self.newest
        self.unsynced = []
    }

    /// The write failed, but may still have reached the disk.
    mutating func mayBeSaved() {
        guard self.unsynced.last != self.newest else { return }
        self.unsynced.append(self.newest)
    }

    /// The process restarts: the disk has the saved value, or a value that was being saved.
    ///
    /// - Returns: whether `isFound` is true for one of these values.
    mutating func restored(_ isFound: (Value) -> Bool) -> Bool {
        let found = (self.unsynced.reversed() + [self.onDisk, self.pending ?? self.onDisk]).first(where: isFound)
        self.pending = nil
        self.unsynced = []
        guard let found else { return false }
        self.current = found
        self.onDisk = found
        return true
    }
}
