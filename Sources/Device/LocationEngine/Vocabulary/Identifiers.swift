/// The identifier of an app, such as `com.example.FindFriends`.
public struct BundleID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The identifier as written in the app's Info.plist.
    public let rawValue: String

    /// Creates an identifier; its characters are checked at install.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The identifier as text.
    public var description: String { self.rawValue }

    /// Returns whether the left identifier sorts first.
    public static func < (lhs: BundleID, rhs: BundleID) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

/// One connection of a process to the device; never used twice.
public struct ClientID: Sendable, Hashable, Comparable {
    /// The number the host gave the connection.
    public let rawValue: UInt64

    /// Creates an identifier.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Returns whether the left connection is the older one.
    public static func < (lhs: ClientID, rhs: ClientID) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

/// One process the engine asked for.
public struct LaunchID: Sendable, Hashable {
    /// Counts the launches since the engine started.
    public let rawValue: UInt64

    /// Creates an identifier.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One question to a person.
public struct PromptID: Sendable, Hashable {
    /// Counts the questions since the engine started.
    public let rawValue: UInt64

    /// Creates an identifier.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
