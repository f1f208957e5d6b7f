/// A condition that a monitor can monitor.
///
/// ``CLMonitor/CircularGeographicCondition`` and ``CLMonitor/BeaconIdentityCondition`` conform to it. A type of your
/// own is reported by ``CLMonitor/Event/conditionUnsupported``.
public protocol CLCondition: Decodable, Encodable, Sendable {}
