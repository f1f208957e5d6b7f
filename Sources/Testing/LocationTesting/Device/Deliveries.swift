internal import CoreLocation
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages

/// Delivers the core's messages to the processes of clients, with the differences between systems
/// (``DeviceProfile/System``) and the oddities of devices in the field (``Quirk``).
final class Deliveries {
    let processes: ProcessTable
    let time: DeviceTime
    let timeline: Timeline
    let service: LocationService
    let system: DeviceProfile.System
    /// The device's quirks, which were observed on real devices.
    var quirks: Set<Quirk>

    init(
        _ context: DeviceContext,
        _ processes: ProcessTable,
        _ service: LocationService,
        _ system: DeviceProfile.System
    ) {
        (self.processes, self.time, self.timeline) = (processes, context.time, context.timeline)
        (self.service, self.system, self.quirks) = (service, system, system.quirks)
    }

    /// Delivers a message of the core to the process of a client.
    func tell(_ message: Engine.Message, to client: ClientID) {
        guard let process = self.processes[client], !process.hasEnded else { return }
        switch message {
        case .update(let update, let stream):
            if self.withholds(update, from: stream, of: process) { return }
            guard self.quirks.isEmpty else { return self.giveOddly(update, to: stream, of: process) }
            return self.give(update, to: stream, of: process)
        case .diagnostics(let diagnostics, _):
            self.timeline.add(.delivery, process.name, "a session receives: \(diagnostics.words)")
        case .monitor(.event(let event), let monitor):
            if self.loses(event, of: monitor, process) { return }
            self.timeline.add(.delivery, process.name, event.words)
        case .monitor, .state, .requestResult, .pushToken, .push, .warning, .finish: break
        }
        self.processes.deliver(.message(message.wire), to: process)
    }

    func give(_ update: Update, to stream: UInt64, of process: VirtualProcess) {
        process.given(update, to: stream, self.timeline, now: self.time.instant)
        let message = Engine.Message.update(update, stream: stream)
        var wire = message.wire
        if !self.system.hasDiagnostics { self.removeDiagnostics(from: &wire.update, of: process) }
        self.processes.deliver(.message(wire), to: process, newestOf: message.replacedStream)
    }

    // MARK: Systems

    /// Whether the system has no update for what the engine delivers.
    private func withholds(_ update: Update, from stream: UInt64, of process: VirtualProcess) -> Bool {
        guard !self.system.hasApproximateUpdates, update.fix != nil, update.diagnostics.contains(.accuracyLimited),
            process.hasLiveStream(stream)
        else { return false }
        self.timeline.add(.decision, process.name, "gets no approximate position on \(self.system.name)")
        return true
    }

    /// Removes the diagnostics that live updates of a system without diagnostics do not have.
    private func removeDiagnostics(from update: inout WireUpdate, of process: VirtualProcess) {
        guard process.hasLiveStream(update.stream) else { return }
        update.diagnostics &= UInt32(UpdateDiagnostics.stationary.rawValue)
    }
}

extension Policy {
    /// The policy of a device with a system.
    func on(_ system: DeviceProfile.System) -> Policy {
        var policy = self
        policy.readingAsks = self.readingAsks && system.asksWhenReading
        policy.alwaysNeedsSession = self.alwaysNeedsSession && system.alwaysNeedsSession
        return policy
    }
}
