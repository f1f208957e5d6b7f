/// The facts about an installed app: its Info.plist, its extension, and the entitlements that the owner approved.
public struct AppManifest: Sendable, Hashable {
    /// The Info.plist has `NSLocationWhenInUseUsageDescription`.
    public var explainsWhenInUse: Bool
    /// The Info.plist has `NSLocationAlwaysAndWhenInUseUsageDescription`.
    public var explainsAlways: Bool
    /// The Info.plist turns implicit sessions off (either spelling of the key).
    public var requiresExplicitSessions: Bool
    /// The keys of `NSLocationTemporaryUsageDescriptionDictionary`.
    public var purposes: [String]
    /// The Info.plist has `NSLocationDefaultAccuracyReduced` set.
    public var defaultsToReducedAccuracy: Bool
    /// `UIBackgroundModes` has `location`.
    public var mayRunInBackground: Bool
    /// The entitlement `com.apple.developer.location.push`, approved.
    public var mayReceiveLocationPushes: Bool
    /// The entitlement `aps-environment`, approved.
    public var hasPushEnvironment: Bool
    /// Whether the bundle contains an extension for the point `com.apple.location.push.service`.
    public var hasPushExtension: Bool

    /// Creates a manifest.
    public init(
        explainsWhenInUse: Bool,
        explainsAlways: Bool,
        requiresExplicitSessions: Bool = false,
        purposes: [String] = [],
        defaultsToReducedAccuracy: Bool = false,
        mayRunInBackground: Bool = false,
        mayReceiveLocationPushes: Bool = false,
        hasPushEnvironment: Bool = false,
        hasPushExtension: Bool = false
    ) {
        self.explainsWhenInUse = explainsWhenInUse
        self.explainsAlways = explainsAlways
        self.requiresExplicitSessions = requiresExplicitSessions
        self.purposes = purposes
        self.defaultsToReducedAccuracy = defaultsToReducedAccuracy
        self.mayRunInBackground = mayRunInBackground
        self.mayReceiveLocationPushes = mayReceiveLocationPushes
        self.hasPushEnvironment = hasPushEnvironment
        self.hasPushExtension = hasPushExtension
    }
}
