/// A part of the device that measures.
public enum Sensor: Sendable, Hashable, CaseIterable {
    /// The receiver of positions.
    case receiver
}

/// A fact that a sensor told.
public enum SensorReport: Sendable, Hashable {
    /// The receiver produced a fix; `time` in it is the receiver's.
    case fix(Fix)
    /// The sensor can be reached and searches.
    case ready(Sensor)
    /// The sensor is gone, or has nothing to tell.
    case lost(Sensor)
}
