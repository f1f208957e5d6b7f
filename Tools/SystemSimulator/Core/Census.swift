/// The number of events of each kind: a rule about events that never happen is never checked.
package struct Census: Sendable, Hashable {
    package private(set) var counts: [String: Int] = [:]

    private let isTaken: Bool

    package init() { self.init(isTaken: true) }

    init(isTaken: Bool) {
        self.isTaken = isTaken
    }

    /// Counts one event; without a census, the name is not evaluated.
    mutating func add(_ name: @autoclosure () -> String) {
        if self.isTaken { self.counts[name(), default: 0] += 1 }
    }

    /// Adds the counts of another run.
    package mutating func add(_ other: Census) { self.counts.merge(other.counts, uniquingKeysWith: +) }
}
