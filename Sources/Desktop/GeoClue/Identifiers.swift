/// A call that waits for its answer; the host assigns the numbers.
package struct CallID: Sendable, Hashable {
    package let rawValue: UInt64

    /// Creates the id of a call.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// A GeoClue client, by a number in the path of its object; numbers are not reused.
package struct ClientNumber: Sendable, Hashable, Comparable {
    package let rawValue: UInt64

    /// Creates the number of a client.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (lhs: ClientNumber, rhs: ClientNumber) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A connection to the bus, by its unique name, and its user.
package struct BusPeer: Sendable, Hashable {
    /// The unique name, such as `:1.42`.
    package var name: String
    /// The user of the process.
    package var user: UInt32

    package init(name: String, user: UInt32) {
        self.name = name
        self.user = user
    }
}
