public import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The sources of positions of a device: when they run, and where their reports go.
///
/// Sources run while the engine needs a sensor that they report, and for recordings; ``SourceArbiter`` decides which of
/// them. A recording needs the best accuracy: during one, coarse sources come last, whatever accuracy the engine needs.
///
/// A lost source makes all its sensors unavailable; a ready source is only known to have a receiver.
public struct SourceCoordinator: Sendable, Hashable {
    /// A report of a source.
    public enum Report: Sendable, Hashable {
        /// The source can be reached and searches for a position.
        case ready
        case measured(Update.Element)
        /// The source is gone or has no fix, and keeps trying.
        case lost
    }

    private var arbiter: SourceArbiter
    /// The sensors that the engine needs.
    private var sensors = PerSensor { _ in false }
    /// The accuracy that the engine needs.
    private var accuracy = NeededAccuracy.best
    private var isRecorded = false

    /// Creates the coordinator of sources that are off.
    ///
    /// - Parameters:
    ///   - coarse: for each source, in the order of preference, whether it needs little power and is accurate to about 100 m; at least one.
    ///   - policy: the numbers.
    public init(coarse: [Bool], policy: Policy) {
        self.arbiter = SourceArbiter(coarse: coarse, policy: policy)
    }

    /// Whether the engine or a recording needs positions.
    public var isNeeded: Bool { self.sensors[.receiver] || self.sensors[.compass] || self.isRecorded }

    /// The number of the source in use; nil: no source has reported.
    public var chosen: Int? { self.arbiter.chosen }

    /// Whether a source runs.
    public func runs(_ source: Int) -> Bool { self.arbiter.runs(source) }

    var deadline: EngineInstant? { self.arbiter.deadline }

    // MARK: Inputs

    /// Records whether the engine needs a sensor; the beacon scanner is not part of a source.
    mutating func needChanged(of sensor: Sensor, to isNeeded: Bool, now: EngineInstant) -> [SourceArbiter.Order] {
        guard sensor != .scanner else { return [] }
        self.sensors[sensor] = isNeeded
        return self.needChanged(now)
    }

    /// Records which accuracy the engine needs.
    mutating func accuracyChanged(to accuracy: NeededAccuracy, now: EngineInstant) -> [SourceArbiter.Order] {
        self.accuracy = accuracy
        return self.needChanged(now)
    }

    /// Records that recordings started, or that the last one ended.
    mutating func recordingChanged(to isRecorded: Bool, now: EngineInstant) -> [SourceArbiter.Order] {
        self.isRecorded = isRecorded
        return self.needChanged(now)
    }

    private mutating func needChanged(_ now: EngineInstant) -> [SourceArbiter.Order] {
        let accuracy = self.isRecorded ? .best : self.accuracy
        return self.arbiter.needChanged(to: self.isNeeded ? accuracy : nil, now: now)
    }

    /// Actions returned by ``reported(_:from:now:)``.
    struct OnReport: Sendable, Hashable {
        /// The orders to carry out.
        var orders: [SourceArbiter.Order]
        /// The fix to record; nil if there is no fix, or if nothing is being recorded.
        var recorded: Fix?
        /// The reports for the engine.
        var sensed: [SensorReport]
    }

    /// Records a report of a source; ignored when the source is off, because its host may receive the order late.
    mutating func reported(_ report: Report, from source: Int, now: EngineInstant) -> OnReport {
        var sensed: [SensorReport]
        var recorded: Fix?
        switch report {
        case .ready: sensed = [.ready(.receiver)]
        case .lost: sensed = [.lost(.receiver), .lost(.compass)]
        case .measured(let element):
            sensed = [.measured(element)]
            if case .fix(let fix) = element, self.isRecorded { recorded = fix }
        }
        // Only the first report is used: it may start another source, and the later ones would not be passed on.
        let result = self.arbiter.reported(sensed[0], from: source, now: now)
        if !result.isPassedOn { (sensed, recorded) = ([], nil) }
        return OnReport(orders: result.orders, recorded: recorded, sensed: sensed)
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    mutating func deadlineReached(now: EngineInstant) -> [SourceArbiter.Order] {
        self.arbiter.deadlineReached(now: now)
    }
}

extension DeviceCore {
    /// Powers a sensor; a source's sensors are powered with the source.
    mutating func power(_ sensor: Sensor, isOn: Bool, _ actions: inout [Action], now: Now) {
        guard sensor != .scanner,
            let orders = self.sources?.needChanged(of: sensor, to: isOn, now: now.monotonic)
        else { return actions.append(.sensor(sensor, isOn: isOn)) }
        actions += orders.map { .source($0) }
    }

    mutating func prefer(_ accuracy: NeededAccuracy, _ actions: inout [Action], now: Now) {
        actions += (self.sources?.accuracyChanged(to: accuracy, now: now.monotonic) ?? []).map { .source($0) }
    }

    mutating func recordingChanged(to isRecorded: Bool, _ actions: inout [Action], now: Now) {
        actions += (self.sources?.recordingChanged(to: isRecorded, now: now.monotonic) ?? []).map { .source($0) }
    }

    mutating func sourceReported(
        _ report: SourceCoordinator.Report,
        from source: Int,
        _ actions: inout [Action],
        now: Now
    ) {
        guard let result = self.sources?.reported(report, from: source, now: now.monotonic) else { return }
        actions += result.orders.map { .source($0) }
        if let fix = result.recorded { actions.append(.record(fix)) }
        for report in result.sensed { self.feed(.sensed(report), &actions, now: now) }
    }

    mutating func sourcesDeadlineReached(_ actions: inout [Action], now: Now) {
        actions += (self.sources?.deadlineReached(now: now.monotonic) ?? []).map { .source($0) }
    }
}
