internal import WhereaboutsAPNS

/// The topics whose pushes may be delivered now, as listed by the device.
public struct TopicList: Sendable, Hashable {
    private let topics: Set<String>

    /// A list without topics.
    public static let empty = TopicList(topics: [])

    private init(topics: Set<String>) {
        self.topics = topics
    }

    /// Creates a list; nil when it has too many topics for a device, or an invalid one.
    public init?(_ topics: [String]) {
        guard topics.count <= TokenDecision.topicsMax, topics.allSatisfy({ Topic.isTopic($0) }) else { return nil }
        self.topics = Set(topics)
    }

    /// Returns whether pushes of a topic may be delivered.
    public func contains(_ topic: String) -> Bool {
        self.topics.contains(topic)
    }
}
