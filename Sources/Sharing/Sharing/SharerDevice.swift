public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// A device that a person registered with the server.
public struct SharerDevice: Sendable, Hashable {
    /// The device's identifier.
    public let id: DeviceID
    /// The name that the person chose, perhaps empty; nil when the name was not sealed with the person's key.
    public let name: String?
    /// Whether this is the device that runs the program.
    public let isThis: Bool
    /// Whether this device answers the requests to the person.
    public let answers: Bool
    /// Whether the device is registered but receives no pushes.
    public let isPaused: Bool
    /// When the person chose this device to answer.
    public let chosen: WallTime
    /// When the device last registered.
    public let registered: WallTime
}
