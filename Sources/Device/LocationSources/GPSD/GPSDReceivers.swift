/// The receivers behind one gpsd, and the choice of the receiver whose fixes are used.
///
/// The receiver that reports the first fix is used: alternating positions of two receivers on a ship would jump back
/// and forth. Another receiver replaces it when it is lost, or silent while the other receiver reports.
struct GPSDReceivers: Sendable {
    struct Receiver: Sendable {
        /// gpsd's path of the receiver; nil: gpsd names none.
        let path: String?
        /// The meaning of the receiver's error estimates.
        var accuracy = GPSDAccuracy()
        var sky = SkyView()
        /// The time of the receiver's last GST.
        var deviationsTime: String?
    }

    /// The maximum number of receivers that are distinguished; gpsd is built for four.
    static let receiversMax = 16
    /// The seconds, by the receivers' clocks, after which the chosen one counts as silent.
    private static let patience = 5.0
    /// The fixes of another receiver after which it replaces a silent one, if their clocks do not show it.
    private static let othersMax = 50

    private(set) var receivers: [Receiver] = []
    private(set) var chosen: String?
    private var hasChosen = false
    private var lastTime: Double?
    private var others = 0

    /// The chosen receiver, or the only one.
    var current: Receiver? {
        self.hasChosen ? self.receivers.first { $0.path == self.chosen } : self.receivers.first
    }

    /// The receiver of a path, created when it is new; nil when there are too many.
    private mutating func index(of path: String?) -> Int? {
        if let index = self.receivers.firstIndex(where: { $0.path == path }) { return index }
        guard self.receivers.count < Self.receiversMax else { return nil }
        self.receivers.append(Receiver(path: path))
        return self.receivers.count - 1
    }

    /// Changes the facts of a receiver.
    mutating func update(_ path: String?, _ change: (inout Receiver) -> Void) {
        guard let index = self.index(of: path) else { return }
        change(&self.receivers[index])
    }

    /// The meaning of a receiver's error estimates.
    func accuracy(of path: String?) -> GPSDAccuracy {
        self.receivers.first { $0.path == path }?.accuracy ?? GPSDAccuracy()
    }

    /// Applies gpsd's complete list.
    mutating func listed(_ paths: [String]) {
        self.receivers.removeAll { receiver in receiver.path.map { !paths.contains($0) } ?? false }
        for path in paths { _ = self.index(of: path) }
        if let chosen = self.chosen, !paths.contains(chosen) { self.forget() }
    }

    /// Records that a receiver vanished.
    mutating func lost(_ path: String) {
        self.receivers.removeAll { $0.path == path }
        if self.hasChosen, self.chosen == path { self.forget() }
    }

    private mutating func forget() {
        self.hasChosen = false
        self.chosen = nil
        self.lastTime = nil
        self.others = 0
    }

    /// Records a fix, and returns whether it is used.
    mutating func fixCame(of path: String?, at time: Double?) -> Bool {
        if self.hasChosen, path != self.chosen {
            self.others += 1
            // If the times are more than an hour apart, one of the clocks is wrong.
            let isSilent =
                if let time, let lastTime { (Self.patience...3600).contains(time - lastTime) } else { false }
            guard isSilent || self.others >= Self.othersMax else { return false }
        }
        self.hasChosen = true
        self.chosen = path
        self.lastTime = time ?? self.lastTime
        self.others = 0
        return true
    }
}
