internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// Warnings that other programs can cause at any rate, and that must not fill the log.
extension Daemon {
    /// Counts a reached bound, and logs a warning unless there were too many of them (``ThrottledNotes``).
    ///
    /// Each bound has its own limit of warnings, so that a flood of one kind does not hide another.
    func warn(_ bound: Bound, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        self.bounds.count(bound)
        let notes =
            self.notes[bound]
            ?? ThrottledNotes(self.logger, now: { Clocks.now().monotonic }) { [weak self] in
                self?.assumeIsolated { $0.bounds.count(.notesLeftOut) }
            }
        self.notes[bound] = notes
        notes.write(.warning, message, metadata)
    }
}
