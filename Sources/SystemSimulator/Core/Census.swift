/// How often each kind of thing happened: whether a simulator sees anything is to be seen.
package struct Census: Sendable, Hashable {
    /// The counts, by name.
    package private(set) var counts: [String: Int] = [:]

    /// Creates an empty census.
    package init() {}

    /// Counts one.
    mutating func add(_ name: String) { self.counts[name, default: 0] += 1 }

    /// Adds those of another run.
    package mutating func add(_ other: Census) { self.counts.merge(other.counts, uniquingKeysWith: +) }
}
