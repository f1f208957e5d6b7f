public import WhereaboutsVocabulary

/// Chooses among a device's sources of positions: which ones run, and whose positions are used.
///
/// ```
///              on                a fix                    silence, or lost
///   off ─────────────▶ searching ──────▶ delivering ─────────────────────▶ failed
///    ▲                     │ patience over ▲  └───────────── a fix ──────────┘│
///    │                     └───────────────┼──────▶ failed ──────────────────┘
///    └── off, or a better one delivers ────┘
/// ```
/// The sources have an order of preference. The first runs while positions are needed; the next one starts only when
/// all before it have failed, and stops when one of them is good again: a failed source keeps running, so that its
/// return is noticed. Positions of one source at a time are used. A better source replaces it after it delivered for
/// ``comeback`` without a gap, so that an intermittent source does not make the position jump. While 100 m suffice,
/// coarse sources come first: they need little power.
public struct SourceArbiter: Sendable, Hashable {
    enum SourceState: Sendable, Hashable {
        /// The source has no power.
        case off
        /// The source is on, without a position so far.
        case searching(since: EngineInstant)
        /// The source is on, and delivers positions.
        case delivering(since: EngineInstant, last: EngineInstant)
        /// The source is on, and was silent for too long, or is gone.
        case failed
    }

    /// An order to the host.
    public enum Order: Sendable, Hashable {
        /// Power the source of that number up.
        case start(Int)
        case stop(Int)
    }

    /// How long a better source must deliver before it replaces the source in use.
    ///
    /// Five fixes of a receiver of 1 Hz: more than a glimpse of the sky between two tunnels.
    static let comeback = Duration.seconds(5)

    private(set) var sources: [SourceState]
    /// The number of the source in use; nil: no source has reported.
    public private(set) var chosen: Int?
    /// The needed accuracy; nil: no position is needed.
    private var needed: NeededAccuracy?
    private let coarse: [Bool]
    @Boxed private var policy: Policy

    /// Creates an arbiter; all sources are off at first.
    ///
    /// - Parameters:
    ///   - coarse: for each source, whether it needs little power and is accurate to about 100 m; at least one source.
    ///   - policy: the delays and accuracies at which it changes the source.
    public init(coarse: [Bool], policy: Policy) {
        precondition(!coarse.isEmpty, "there must be at least one source of positions")
        self.sources = Array(repeating: .off, count: coarse.count)
        self.coarse = coarse
        self._policy = Boxed(policy)
    }

    /// Whether a source runs.
    public func runs(_ source: Int) -> Bool { self.sources[source] != .off }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        var earliest: EngineInstant?
        for source in self.sources { earliest.lower(to: self.patience(with: source)) }
        return earliest
    }

    private func patience(with source: SourceState) -> EngineInstant? {
        switch source {
        case .off, .failed: nil
        case .searching(let since): since.advanced(by: self.policy.acquisitionPatience)
        case .delivering(_, let last): last.advanced(by: self.policy.fixSilence)
        }
    }

    // MARK: Inputs

    /// Records which accuracy is needed.
    ///
    /// - Parameters:
    ///   - needed: the accuracy; nil: no app needs positions.
    ///   - now: the time.
    /// - Returns: the orders to carry out.
    public mutating func needChanged(to needed: NeededAccuracy?, now: EngineInstant) -> [Order] {
        guard self.needed != needed else { return [] }
        self.needed = needed
        if needed == nil { self.chosen = nil }
        return self.run(now)
    }

    /// Actions returned by ``reported(_:from:now:)``.
    public struct OnReport: Sendable, Hashable {
        /// Whether the report must be passed on.
        public var isPassedOn: Bool
        /// The orders to carry out.
        public var orders: [Order]
    }

    /// Records a report of a source; ignored when it is off.
    public mutating func reported(_ report: SensorReport, from source: Int, now: EngineInstant) -> OnReport {
        guard self.needed != nil, self.sources[source] != .off else { return OnReport(isPassedOn: false, orders: []) }
        let isPassedOn: Bool
        switch report {
        case .measured(.fix): isPassedOn = self.fixCame(from: source, now)
        // Headings have no competing source, and visits are not measured by sources.
        case .measured(.heading), .measured(.visit): isPassedOn = true
        // The scanner is not a source of positions.
        case .measured(.beacons), .scanned: isPassedOn = false
        case .ready:
            if self.sources[source] == .failed { self.sources[source] = .searching(since: now) }
            isPassedOn = !self.isAnotherDelivering(than: source)
        case .lost:
            self.sources[source] = .failed
            isPassedOn = !self.isAnotherAtWork(than: source)
        }
        return OnReport(isPassedOn: isPassedOn, orders: self.run(now))
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> [Order] {
        for index in self.sources.indices {
            guard let deadline = self.patience(with: self.sources[index]), now >= deadline else { continue }
            self.sources[index] = .failed
        }
        return self.run(now)
    }

    // MARK: Decisions

    private mutating func fixCame(from source: Int, _ now: EngineInstant) -> Bool {
        if case .delivering(let since, _) = self.sources[source] {
            self.sources[source] = .delivering(since: since, last: now)
        } else {
            self.sources[source] = .delivering(since: now, last: now)
        }
        guard let chosen, chosen != source, case .delivering = self.sources[chosen] else {
            self.chosen = source
            return true
        }
        guard self.isBefore(source, chosen), self.isGood(source, now) else { return false }
        self.chosen = source
        return true
    }

    /// Whether a source has delivered for long enough to be used.
    private func isGood(_ source: Int, _ now: EngineInstant) -> Bool {
        guard case .delivering(let since, _) = self.sources[source] else { return false }
        return since.duration(to: now) >= Self.comeback
    }

    private func isAnotherDelivering(than source: Int) -> Bool {
        self.sources.enumerated().contains { index, standing in
            if index != source, case .delivering = standing { true } else { false }
        }
    }

    private func isAnotherAtWork(than source: Int) -> Bool {
        self.sources.enumerated().contains { index, standing in
            switch standing {
            case .delivering, .searching: index != source
            case .off, .failed: false
            }
        }
    }

    /// The sources in the order of preference.
    private var order: [Int] {
        switch self.needed {
        case .best, nil: Array(self.sources.indices)
        case .hundredMetres:
            self.sources.indices.filter { self.coarse[$0] } + self.sources.indices.filter { !self.coarse[$0] }
        }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        self.order.first { $0 == one || $0 == other } == one
    }

    /// Starts the needed sources and stops the others: a source runs while all preferred sources have failed or are not
    /// good yet.
    private mutating func run(_ now: EngineInstant) -> [Order] {
        var orders: [Order] = []
        var isNeeded = self.needed != nil
        let order = self.order
        for (rank, index) in order.enumerated() {
            if isNeeded, self.sources[index] == .off {
                self.sources[index] = .searching(since: now)
                orders.append(.start(index))
            } else if !isNeeded, self.sources[index] != .off {
                self.sources[index] = .off
                orders.append(.stop(index))
            }
            switch self.sources[index] {
            case .off, .failed: break
            case .searching: if order[(rank + 1)...].allSatisfy({ self.sources[$0] == .off }) { isNeeded = false }
            case .delivering: if self.chosen == index { isNeeded = false }
            }
        }
        return orders
    }
}
