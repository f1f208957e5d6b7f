internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// locationd's files, and those who put old ones in their place.
extension DeviceNode {
    /// The files: the snapshot with its number, the number beside (`SnapshotStore`), and the pushes.
    struct Files {
        var snapshot: EngineSnapshot?
        var snapshotTime = Instant.start
        var number: UInt64 = 0
        var lastNumber: UInt64 = 0
        var spool: OrderedDictionary<PushID, Push> = [:]
    }

    /// Keeps a copy of the files for those who put it back later.
    func copyFiles() {
        if self.world.rollsBack { self.history.append(self.files, at: self.world.now) }
    }

    /// Looks whether the snapshot is the last one, as locationd does at its start.
    ///
    /// - Throws: ``Node/Killed`` when it is not: locationd says so and ends, and is started again until somebody fixes it.
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

    /// Puts an old copy of all of locationd's files in their place, as a backup does: nobody can tell.
    func putAll(from span: Duration) {
        self.kill(for: self.world.restartPause)
        self.taken = nil
        self.files = self.history.takeBack(self.world.now, before: span)
        self.isSaved = false
        self.world.auditors.deviceRolledBack(self, by: span)
        self.world.census.add("device is rolled back")
    }

    /// Puts an old snapshot in the place of the last one, to undo what a person decided, until somebody fixes it.
    func putSnapshot(from span: Duration) {
        guard self.taken == nil else { return }
        self.kill(for: self.world.restartPause)
        self.taken = self.files
        let old = self.history.contents(self.world.now, before: span)
        (self.files.snapshot, self.files.snapshotTime) = (old.snapshot, old.snapshotTime)
        self.files.number = old.number
        self.world.census.add("device's snapshot is exchanged")
    }

    /// Puts the snapshot back that was taken away, unless locationd took the other one for the last and went on from it.
    func mendSnapshot() {
        defer { self.taken = nil }
        guard let taken, self.files.number < self.files.lastNumber else { return }
        (self.files.snapshot, self.files.snapshotTime) = (taken.snapshot, taken.snapshotTime)
        self.files.number = taken.number
    }
}
