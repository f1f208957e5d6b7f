internal import WhereaboutsVocabulary

/// The reasons why a condition has no events; empty: it has events.
public struct MonitorDiagnostics: OptionSet, Sendable, Hashable {
    /// One bit for each reason; the first eight are those of ``UpdateDiagnostics``.
    public let rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Converts the reasons why a service delivers nothing.
    init(_ reasons: UpdateDiagnostics) {
        self.init(rawValue: reasons.rawValue)
    }

    /// The app may know only an approximate place.
    public static let accuracyLimited = MonitorDiagnostics(rawValue: UpdateDiagnostics.accuracyLimited.rawValue)
    /// The device cannot watch this condition.
    public static let conditionUnsupported = Self(rawValue: WireBits.Monitor.conditionUnsupported)
    /// The app has too many other conditions of the type.
    public static let conditionLimitExceeded = Self(rawValue: WireBits.Monitor.conditionLimitExceeded)
    /// The disk refuses writes, so events could be lost.
    public static let persistenceUnavailable = Self(rawValue: WireBits.Monitor.persistenceUnavailable)
    /// The app did not receive an event in time; the condition is not watched until it is added again.
    public static let abandoned = Self(rawValue: WireBits.Monitor.abandoned)

    /// Whether the reasons lie in the condition itself, so that its state reads `.unmonitored`.
    public var areOfUnmonitored: Bool {
        !self.isDisjoint(with: [.conditionUnsupported, .conditionLimitExceeded, .abandoned])
    }
}
