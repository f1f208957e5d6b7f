internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The auditors of a run, each of which objects when a rule of its own is broken.
///
/// Each keeps an account of its own, made of events outside the engines alone, and compares.
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
    let timers: TimerAuditor
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
        self.timers = TimerAuditor(world)
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

    /// locationd begins again on a device; its engine is there, but was fed nothing.
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

    /// Somebody put locationd's files of a while before in the place of those that were there.
    func deviceRolledBack(_ device: DeviceNode, by span: Duration) {
        self.will.deviceRolledBack(device, by: span)
        self.sessions.deviceRolledBack(device, by: span)
        self.pushes.deviceRolledBack(device)
        self.beacons.deviceRolledBack(device, by: span)
    }

    /// An app is removed from a device, with all that was decided about it.
    func removed(_ bundle: BundleID, on device: DeviceNode) {
        self.will.removed(bundle, on: device)
        self.sessions.removed(bundle, on: device)
        self.beacons.removed(bundle, on: device)
    }

    /// A device's core is about to handle an event.
    func deviceWill(_ event: DeviceCore.Event, _ device: DeviceNode) {
        self.will.deviceWill(event, device)
        // By what the sessions were before the event.
        self.accuracy.deviceWill(event, device)
        self.sessions.deviceWill(event, device)
    }

    /// A device's core handled an event, and its actions were performed.
    func deviceDid(_ event: DeviceCore.Event, _ actions: [DeviceCore.Action], _ device: DeviceNode) {
        self.diagnostics.told(actions, device)
        self.extensions.told(actions, device)
        self.disks.told(actions, device)
        // A measurement changes nothing that these keep account of, and there are many.
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

/// A value of an auditor's account, and the ones it may have after a death in the middle of a write: that saved last, one that the disk
/// refused since and may have taken all the same, or that just being decided.
struct Saved<Value: Equatable> {
    private(set) var current: Value
    private var onDisk: Value
    private var pending: Value?
    /// The values since then that may be on disk though the disk said no: a later one may not have come as far as an earlier one.
    private var unsynced: [Value] = []

    init(_ value: Value) {
        self.current = value
        self.onDisk = value
    }

    /// The value that holds, with the change under way.
    var newest: Value { self.pending ?? self.current }

    /// Begins a change, which holds once it is done.
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

    /// The disk refused, and may have taken it all the same.
    mutating func mayBeSaved() {
        guard self.unsynced.last != self.newest else { return }
        self.unsynced.append(self.newest)
    }

    /// The process begins again: on disk may be the saved value, or the one that was being saved.
    ///
    /// - Returns: whether one of them is what is found.
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
