internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Objects when an extension is started for an app that may not be woken, or exceeds its allowance.
struct ExtensionAuditor {
    /// The allowance, the time to exit (ADR 0009), and the time that ending a process takes.
    private static let longest = Duration.seconds(30 + 2 + 1)

    private unowned let world: Simulation

    init(_ world: Simulation) {
        self.world = world
    }

    func told(_ actions: [DeviceCore.Action], _ device: DeviceNode) {
        for case .process(.startExtension(let bundle, _)) in actions {
            let (will, sessions) = (self.world.auditors.will, self.world.auditors.sessions)
            if !will.allows(device, bundle) || will.will(device, bundle).decision != .always {
                self.world.fail(
                    "\(device.id) started the extension of \(bundle), which the person did not allow Always"
                )
            } else if sessions.hasTakenAlways(device, bundle), !sessions.hasAlways(device, bundle) {
                self.world.fail(
                    "\(device.id) started the extension of \(bundle), which has ended its session for Always"
                )
            }
        }
    }

    func deviceDid(_ device: DeviceNode) {
        for process in device.extensions.values where process.started.duration(to: self.world.now) > Self.longest {
            self.world.fail("\(device.id) let the extension of \(process.bundle) run for more than \(Self.longest)")
        }
    }
}
