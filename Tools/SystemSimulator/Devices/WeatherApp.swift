internal import WhereaboutsLocationEngine

/// An app that requests one position in the foreground, and does not request Always.
final class WeatherApp: SimulatedProcess {
    private var session: UInt64?
    private var stream: UInt64?

    override func connected() {
        self.session = self.session ?? self.take(session: .whenInUse, purpose: Self.purpose)
        self.look()
    }

    override func phaseChanged() { if self.phase == .foreground { self.look() } }

    override func told(_ update: Update, of stream: UInt64) {
        guard update.fix != nil, self.stream == stream else { return }
        self.stream = nil
        self.invalidate(stream)
    }

    private func look() {
        guard self.stream == nil else { return }
        self.stream = self.read(.once(desiredAccuracy: 100_000))
    }
}
