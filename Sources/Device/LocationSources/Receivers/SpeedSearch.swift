public import WhereaboutsVocabulary

/// Finds the speed of a serial line by trial.
///
/// At a wrong speed no bytes arrive, or bytes that form no sentence. Each speed is tried for the time in which a
/// receiver of 1 Hz reports twice; a speed that yields a sentence is kept.
public struct SpeedSearch: Sendable, Hashable {
    /// The speeds in bits a second, in the order of the trials: common factory settings first.
    public static let speeds = [9600, 4800, 115_200, 38_400, 57_600, 19_200, 230_400, 460_800]
    /// How long each speed is tried.
    ///
    /// Source: our choice; two reports of a receiver of 1 Hz, and a tenth in case the second one is late.
    static let trial = Duration.milliseconds(2200)
    /// How long a known speed may yield no sentence before others are tried, because the receiver may have been
    /// reconfigured.
    static let patience = Duration.seconds(15)

    private var index = 0
    private var isFound = false
    private var since = EngineInstant(sinceStart: .zero)

    /// Creates a search that has tried nothing.
    public init() {}

    /// The speed to read at.
    public var speed: Int { Self.speeds[self.index] }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant { self.since.advanced(by: self.isFound ? Self.patience : Self.trial) }

    /// Records that the line is open, at ``speed``.
    public mutating func opened(now: EngineInstant) {
        self.isFound = false
        self.since = now
    }

    /// Records a sentence.
    public mutating func sentenceCame(now: EngineInstant) {
        self.isFound = true
        self.since = now
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Read at ``SpeedSearch/speed`` from now on.
        case setSpeed
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard now >= self.deadline else { return .ignore }
        self.since = now
        // The same speed is tried once more first: the receiver may have been silent.
        if self.isFound {
            self.isFound = false
            return .ignore
        }
        self.index = (self.index + 1) % Self.speeds.count
        return .setSpeed
    }
}
