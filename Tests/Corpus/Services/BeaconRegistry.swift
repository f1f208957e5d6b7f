import CoreLocation

actor BeaconRegistry {
    private var ranged: Set<CLBeaconIdentityConstraint> = []

    func insert(_ constraint: CLBeaconIdentityConstraint) { ranged.insert(constraint) }

    func first() -> CLBeaconIdentityConstraint? { ranged.first }
}

@MainActor
func register(_ uuid: UUID, in registry: BeaconRegistry) async -> Bool {
    let constraint = CLBeaconIdentityConstraint(uuid: uuid)
    await registry.insert(constraint)
    return await registry.first() == constraint
}
