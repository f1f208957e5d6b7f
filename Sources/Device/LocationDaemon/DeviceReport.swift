internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// The device as people see it: its status, its settings, and the facts for the doctor.
///
/// It reads the core and the parts of the daemon, and changes neither. It holds a copy of the core: do not keep it.
struct DeviceReport {
    let core: DeviceCore
    let bundles: BundleStore
    let management: Management
    let gatewayState: GatewayState
    let configuration: DaemonConfiguration
    let folders: AppFolders
    let processes: ProcessTable
    let sources: DeviceSources
    let storage: DeviceStorage
    let agents: AgentConnections
    let nmea: NMEAReaders?
    let polkit: PolkitChecks
    let bounds: BoundLog

    var engine: Engine { self.core.engine }

    var pushCheckWords: PushCheckWords {
        PushCheckWords(
            payloadMax: self.configuration.policy.pushPayloadMax,
            management: self.management,
            rules: self.configuration.rules
        )
    }
}

extension Daemon {
    /// The device as people see it at present.
    var report: DeviceReport {
        DeviceReport(
            core: self.core,
            bundles: self.bundles,
            management: self.management,
            gatewayState: self.gateway.state,
            configuration: self.configuration,
            folders: self.folders,
            processes: self.processes,
            sources: self.sources,
            storage: self.storage,
            agents: self.agents,
            nmea: self.nmea,
            polkit: self.polkit,
            bounds: self.bounds
        )
    }
}
