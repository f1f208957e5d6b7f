internal import WhereaboutsAPNS

/// The apps that a provider's key may push to.
public enum TopicScope: Sendable, Hashable {
    case all
    /// The apps of these bundle identifiers, with every kind of push.
    case apps(Set<String>)

    /// Returns the apps in the list that the scope covers.
    public func apps(among apps: Set<String>) -> Set<String> {
        switch self {
        case .all: apps
        case .apps(let identifiers): identifiers.intersection(apps)
        }
    }

    /// Returns whether the scope contains a topic.
    func contains(_ topic: String) -> Bool {
        switch self {
        case .all: true
        case .apps(let identifiers):
            // A topic without a suffix is the bundle identifier, as for alerts.
            (PushType.suffixed(topic: topic) ?? .alert).bundleIdentifier(of: topic).map(identifiers.contains) ?? false
        }
    }
}
