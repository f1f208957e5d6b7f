internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// locationd's files, and their replacement by old copies.
extension DeviceNode {
    /// The files: the snapshot with its number, the number beside (`SnapshotStore`), and the pushes.
    struct Files {
        var snapshot: EngineSnapshot?
        var snapshotTime = Instant.start
        var number: UInt64 = 0
        var lastNumber: UInt64 = 0
        var spool: OrderedDictionary<PushID, Push> = [:]
    }

    /// Keeps a copy of the files for a later rollback.
    func copyFiles() {
        if self.world.rollsBack { self.history.append(self.files, at: self.world.now) }
    }

    /// Checks whether the snapshot is the newest one, as locationd does at its start.
    ///
    /// - Throws: ``Node/Killed`` if it is not: locationd reports that and exits, and is restarted until the files are fixed.
    func readNumbers() throws {
        self.numbers = SnapshotNumbers()
        let snapshot = self.files.snapshot == nil ? nil : self.files.number
        switch self.numbers.found(snapshot: snapshot, last: self.files.lastNumber) {
        case .begin, .restore: break
        case .writeFirstNumber: self.files.lastNumber = self.files.number
        case .refuseOlder, .refuseMissing:
            self.world.census.add("device refuses an older state")
            throw Killed()
        }
    }

    /// Replaces all of locationd's files by an old copy, as a restored backup does: locationd cannot detect this.
    func putAll(from span: Duration) {
        self.kill(for: self.world.restartPause)
        self.taken = nil
        self.files = self.history.takeBack(self.world.now, before: span)
        self.isSaved = false
        self.world.auditors.deviceRolledBack(self, by: span)
        self.world.census.add("device is rolled back")
    }

    /// Replaces the newest snapshot by an old one, to undo a person's decisions, until `mendSnapshot()`.
    func putSnapshot(from span: Duration) {
        guard self.taken == nil else { return }
        self.kill(for: self.world.restartPause)
        self.taken = self.files
        let old = self.history.contents(self.world.now, before: span)
        (self.files.snapshot, self.files.snapshotTime) = (old.snapshot, old.snapshotTime)
        self.files.number = old.number
        self.world.census.add("device's snapshot is exchanged")
    }

    /// Restores the replaced snapshot, unless locationd accepted the old one and continued from it.
    func mendSnapshot() {
        defer { self.taken = nil }
        guard let taken, self.files.number < self.files.lastNumber else { return }
        (self.files.snapshot, self.files.snapshotTime) = (taken.snapshot, taken.snapshotTime)
        self.files.number = taken.number
    }
}
