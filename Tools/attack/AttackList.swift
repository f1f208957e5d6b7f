/// All attacks: on the gateway, on the sharing server, on a device.
enum AttackList {
    static let all: [any Attack.Type] = [
        NulTopic.self,
        UnreadPings.self,
        EnrolmentFlood.self,
        RepeatedRegistrations.self,
        SilentProviders.self,
        CheapKeys.self,
        BrokenTopic.self,
        HoardingTenant.self,
        HeaderTopic.self,
        StatementFlood.self,
        SilentClients.self,
        DeafKeys.self,
        HoardedStreams.self,
        AcceptedStrangers.self,
        ReusedIDs.self,
        EndlessPushes.self,
        EndlessTitles.self,
        OwnOrders.self,
        ForkChains.self,
        SharedMemory.self,
        RacingRemovals.self,
        RacingInstallers.self,
        FullDisk.self,
    ]

    static var names: [String] { self.all.map { $0.name } }

    /// Returns the attack with a name.
    static func named(_ name: String) -> (any Attack.Type)? {
        self.all.first { $0.name == name }
    }
}
