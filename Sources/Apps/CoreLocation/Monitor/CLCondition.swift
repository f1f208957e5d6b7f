/// A condition that a monitor can monitor.
///
/// ``CLMonitor/CircularGeographicCondition`` and ``CLMonitor/BeaconIdentityCondition`` conform to it. For your own
/// types, the monitor reports ``CLMonitor/Event/conditionUnsupported``.
public protocol CLCondition: Decodable, Encodable, Sendable {}
