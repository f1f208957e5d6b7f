public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// One of the devices of a person, as the server has it.
public struct SharerDevice: Sendable, Hashable {
    /// Its identifier.
    public let id: DeviceID
    /// The name that its person gave it, which may be empty; nil when nobody with the person's key gave it one.
    public let name: String?
    /// Whether it is the device of this profile.
    public let isThis: Bool
    /// Whether it is the one that is asked.
    public let answers: Bool
    /// Whether it takes no pushes.
    public let isPaused: Bool
    /// When its person chose it to answer.
    public let chosen: WallTime
    /// When it registered last.
    public let registered: WallTime
}
