internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages

/// The differences between systems (``DeviceProfile/System``), between the engine and the apps.
extension DeviceHost {
    /// Whether the system has no update for what the engine delivers.
    func withholds(_ update: Update, from stream: UInt64, of process: VirtualProcess) -> Bool {
        guard !self.system.hasApproximateUpdates, update.fix != nil, update.diagnostics.contains(.accuracyLimited),
            process.hasLiveStream(stream)
        else { return false }
        self.timeline.add(.decision, process.name, "gets no approximate position on \(self.system.name)")
        return true
    }

    /// Removes the diagnostics that live updates of a system without diagnostics do not have.
    func removeDiagnostics(from update: inout WireUpdate, of process: VirtualProcess) {
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
