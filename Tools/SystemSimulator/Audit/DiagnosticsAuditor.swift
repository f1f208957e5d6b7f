internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Objects when the diagnostics that a session received last are not the present ones.
final class DiagnosticsAuditor {
    private struct Session: Hashable {
        var client: ClientID
        var id: UInt64
    }

    private unowned let world: Simulation
    private var told: [Int: [Session: SessionDiagnostics]] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    func deviceStarted(_ device: DeviceNode) { self.told[device.index] = [:] }

    func told(_ actions: [DeviceCore.Action], _ device: DeviceNode) {
        for case .tell(let client, .diagnostics(let diagnostics, let session)) in actions {
            self.told[device.index, default: [:]][Session(client: client, id: session)] = diagnostics
        }
    }

    func deviceDid(_ device: DeviceNode) {
        for process in device.apps.values {
            // locationd may not know all sessions of a process that is frozen or has no connection.
            guard let client = process.client, !process.isFrozen else { continue }
            for session in process.declaration.sessions {
                guard let told = self.told[device.index]?[Session(client: client, id: session.id)] else {
                    if self.world.auditors.sessions.isHeld(client, session.id, device, process.bundle) {
                        self.world.fail(
                            "\(device.id) sent no diagnostics to session \(session.id) of \(process.bundle)"
                        )
                    }
                    continue
                }
                self.check(told, session, client, process.bundle, device)
            }
        }
    }

    private func check(
        _ told: SessionDiagnostics,
        _ session: Declaration.Session,
        _ client: ClientID,
        _ bundle: BundleID,
        _ device: DeviceNode
    ) {
        let will = self.world.auditors.will
        let isForbidden = will.isForbidden(device, bundle)
        let isOff = !will.areServicesOn(device)
        var due: SessionDiagnostics = []
        if isForbidden {
            due.insert(.authorizationRestricted)
        } else if isOff {
            due.formUnion([.authorizationDenied, .authorizationDeniedGlobally])
        } else if will.will(device, bundle).decision == .never {
            due.insert(.authorizationDenied)
        }
        let fixed: SessionDiagnostics = [
            .authorizationRestricted, .authorizationDenied, .authorizationDeniedGlobally,
        ]
        guard told.intersection(fixed) == due else { return self.object(told, due, session, bundle, device) }
        if self.world.auditors.sessions.isWaiting(client, session.id, device, bundle),
            !told.contains(.insufficientlyInUse)
        {
            self.object(told, [.insufficientlyInUse], session, bundle, device)
        }
        if told.contains(.authorizationRequestInProgress), device.status(of: bundle)?.isAsking != true {
            self.object(told, [], session, bundle, device)
        }
    }

    private func object(
        _ told: SessionDiagnostics,
        _ due: SessionDiagnostics,
        _ session: Declaration.Session,
        _ bundle: BundleID,
        _ device: DeviceNode
    ) {
        self.world.fail(
            "\(device.id) sent session \(session.id) of \(bundle) the diagnostics \(told.rawValue); expected \(due.rawValue)"
        )
    }
}
