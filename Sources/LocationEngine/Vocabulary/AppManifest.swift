/// What the engine knows of an installed app: its Info.plist and the entitlements its device's owner approved.
public struct AppManifest: Sendable, Hashable {
    /// The Info.plist has `NSLocationWhenInUseUsageDescription`.
    public var explainsWhenInUse: Bool
    /// The Info.plist has `NSLocationAlwaysAndWhenInUseUsageDescription`.
    public var explainsAlways: Bool
    /// The Info.plist turns implicit sessions off (either spelling of the key).
    public var requiresExplicitSessions: Bool
    /// The entitlement `com.apple.developer.location.push`, approved.
    public var mayReceiveLocationPushes: Bool
    /// The entitlement `aps-environment`, approved.
    public var hasPushEnvironment: Bool
    /// The bundle holds an extension for the point `com.apple.location.push.service`.
    public var hasPushExtension: Bool

    /// Creates a manifest.
    public init(
        explainsWhenInUse: Bool,
        explainsAlways: Bool,
        requiresExplicitSessions: Bool,
        mayReceiveLocationPushes: Bool,
        hasPushEnvironment: Bool,
        hasPushExtension: Bool
    ) {
        self.explainsWhenInUse = explainsWhenInUse
        self.explainsAlways = explainsAlways
        self.requiresExplicitSessions = requiresExplicitSessions
        self.mayReceiveLocationPushes = mayReceiveLocationPushes
        self.hasPushEnvironment = hasPushEnvironment
        self.hasPushExtension = hasPushExtension
    }
}
