internal import WhereaboutsLocationEngine

/// An app that shows the device's heading, and the position if the person allows it; it reads headings at once, since magnetic
/// headings need no authorization.
final class CompassApp: SimulatedProcess {
    private var session: UInt64?
    private var isReading = false
    private var position: UInt64?

    override func connected() {
        guard !self.isReading else { return }
        self.isReading = true
        _ = self.read(.heading(filter: 500))
        self.session = self.take(session: .whenInUse)
        self.look()
    }

    override func phaseChanged() { self.look() }

    /// Reads positions in the foreground, for the true heading.
    private func look() {
        if self.phase == .foreground, self.position == nil {
            self.position = self.read(.standard(StandardOptions()))
        } else if self.phase == .background, let position = self.position {
            self.position = nil
            self.invalidate(position)
        }
    }

    override func told(_ update: Update, of stream: UInt64) {
        guard case .heading(let heading)? = update.element else { return }
        self.device.world.census.add(heading.geographic == nil ? "magnetic heading" : "true heading")
    }
}
