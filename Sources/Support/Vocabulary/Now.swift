/// The readings of both clocks when an input reaches an engine.
public struct Now: Sendable, Hashable {
    /// The clock deadlines are kept on.
    public var monotonic: EngineInstant
    /// The clock people and receivers read.
    public var wall: WallTime

    /// Creates a reading of both clocks.
    public init(monotonic: EngineInstant, wall: WallTime) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
