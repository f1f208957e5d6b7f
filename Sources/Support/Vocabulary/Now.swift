/// The times of both clocks when an engine receives an input.
public struct Now: Sendable, Hashable {
    /// The time on the clock that deadlines use.
    public var monotonic: EngineInstant
    /// The time on the clock that people and receivers use.
    public var wall: WallTime

    /// Creates a reading of both clocks.
    public init(monotonic: EngineInstant, wall: WallTime) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
