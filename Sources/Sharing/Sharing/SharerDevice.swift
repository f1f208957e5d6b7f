public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// One of the devices of a person, as the server has it.
public struct SharerDevice: Sendable, Hashable {
    /// The device's identifier.
    public let id: DeviceID
    /// The name that the person chose, perhaps empty; nil when the name was not sealed with the person's key.
    public let name: String?
    /// Whether this profile is on the device.
    public let isThis: Bool
    /// Whether this device answers.
    public let answers: Bool
    /// Whether the device accepts no pushes.
    public let isPaused: Bool
    /// When its person chose it to answer.
    public let chosen: WallTime
    /// When the device registered last.
    public let registered: WallTime
}
