internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// Warnings that others can cause at will, which must not fill the log.
extension Daemon {
    /// Counts a bound that was reached, and warns of it as far as the log has room for it (``ThrottledNotes``).
    ///
    /// Each bound has room of its own, so that a flood of one kind does not hide another.
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
