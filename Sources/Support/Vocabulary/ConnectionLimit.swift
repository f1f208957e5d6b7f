internal import HeapModule

/// Decides which connections of a listener are kept when the limit is reached.
///
/// While more than half of the connections are free, every connection is accepted: a provider that opens a hundred
/// connections, or an office behind one address, is not an attack. Otherwise connections are scarce, and no address and
/// no key may exceed its share. When all are used, a new connection replaces the one with the least trust, and among
/// those the oldest. A connection that others rely on (``ConnectionTrust/known``) is never replaced.
package struct ConnectionLimit<Holder: Hashable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// Actions returned by ``arrived(_:from:trust:)``.
    package enum OnArrival: Sendable, Hashable {
        case admit
        /// Keep the new connection, and close this stranger's connection.
        case replace(Holder)
        /// Close the new connection: connections are scarce, and its address has used its share.
        case refuseAddress
        /// Close the new connection: known peers hold all connections.
        case refuse
    }

    /// Actions returned by ``identified(_:as:)``.
    package enum OnIdentified: Sendable, Hashable {
        case keep
        /// Close the connection: connections are scarce, and its key has used its share.
        case refuse
    }

    private struct Place: Sendable {
        let address: AddressBlock
        let ticket: UInt64
        var trust: ConnectionTrust
        var key: Key?

        /// Whether the connection counts toward the limit of newcomers of its address.
        var isNewcomer: Bool { self.trust < .enrolled }
    }

    /// The number of connections of one address.
    private struct Load: Sendable {
        var all = 0
        var newcomers = 0
    }

    /// A connection that may be replaced, ordered by age.
    ///
    /// It is void if the connection has ended or its trust has grown since.
    private struct Candidate: Sendable, Comparable {
        let ticket: UInt64
        let holder: Holder

        static func < (lhs: Candidate, rhs: Candidate) -> Bool { lhs.ticket < rhs.ticket }
        static func == (lhs: Candidate, rhs: Candidate) -> Bool { lhs.ticket == rhs.ticket }
    }

    /// The smallest share, so that a small limit does not refuse a burst of a single client.
    private static var shareMin: Int { 16 }

    package let connectionsMax: Int
    /// The maximum number of strangers' connections of one address, while connections are scarce.
    ///
    /// Source: our choice. A hundredth leaves room for the newcomers of a hundred addresses.
    package let newcomersPerAddressMax: Int
    /// The maximum number of connections of one address, of any trust, while connections are scarce.
    ///
    /// Source: our choice. A carrier's NAT has thousands of devices behind one address, so it is a quarter.
    package let perAddressMax: Int
    /// The maximum number of connections of one key, while connections are scarce.
    ///
    /// Source: our choice. APNs advises providers to spread their load over several connections, not over hundreds.
    package let perKeyMax: Int

    private var places: [Holder: Place] = [:]
    private var addresses: [AddressBlock: Load] = [:]
    private var keys: [Key: Int] = [:]
    /// The connections that may be replaced, by their trust; the oldest comes first.
    private var candidates: [ConnectionTrust: Heap<Candidate>] = [:]
    private var ticket: UInt64 = 0

    /// Creates a limit without connections.
    package init(connectionsMax: Int) {
        precondition(connectionsMax >= 0, "a limit must not be negative, got \(connectionsMax)")
        self.connectionsMax = connectionsMax
        self.newcomersPerAddressMax = max(Self.shareMin, connectionsMax / 100)
        self.perAddressMax = max(Self.shareMin, connectionsMax / 4)
        self.perKeyMax = max(Self.shareMin, connectionsMax / 10)
    }

    package var count: Int { self.places.count }

    /// Whether the shares apply: at least half of the connections are in use.
    private var isScarce: Bool { 2 * self.places.count >= self.connectionsMax }

    /// Records a new connection.
    ///
    /// - Parameters:
    ///   - holder: identifies the connection.
    ///   - address: the address of its peer.
    ///   - trust: the trust that the peer already has.
    /// - Returns: the action.
    package mutating func arrived(
        _ holder: Holder,
        from address: AddressBlock,
        trust: ConnectionTrust = .stranger
    ) -> OnArrival {
        let place = Place(address: address, ticket: self.ticket + 1, trust: trust)
        if self.isScarce {
            let load = self.addresses[address] ?? Load()
            let hasNewcomers = place.isNewcomer && load.newcomers >= self.newcomersPerAddressMax
            guard !hasNewcomers, load.all < self.perAddressMax else { return .refuseAddress }
        }
        var action = OnArrival.admit
        if self.places.count >= self.connectionsMax {
            guard let stranger = self.nextToLeave() else { return .refuse }
            self.left(stranger)
            action = .replace(stranger)
        }
        self.ticket += 1
        self.places[holder] = place
        self.count(place, 1)
        self.becameCandidate(holder, place)
        return action
    }

    /// Records that the peer of a connection has earned more trust.
    ///
    /// A lower trust than the present one changes nothing.
    package mutating func showed(_ trust: ConnectionTrust, _ holder: Holder) {
        guard let before = self.places[holder], trust > before.trust else { return }
        var place = before
        place.trust = trust
        self.places[holder] = place
        self.count(before, -1)
        self.count(place, 1)
        self.becameCandidate(holder, place)
    }

    /// Records the key of a connection's peer.
    ///
    /// Further keys of the same connection are ignored.
    package mutating func identified(_ holder: Holder, as key: Key) -> OnIdentified {
        guard let place = self.places[holder], place.key == nil else { return .keep }
        let count = self.keys[key, default: 0]
        if self.isScarce, count >= self.perKeyMax { return .refuse }
        self.places[holder]?.key = key
        self.keys[key] = count + 1
        return .keep
    }

    /// Records the end of a connection.
    ///
    /// A connection that was replaced has been removed already; recording its end changes nothing.
    package mutating func left(_ holder: Holder) {
        guard let place = self.places.removeValue(forKey: holder) else { return }
        self.count(place, -1)
        if let key = place.key, let count = self.keys[key] { self.keys[key] = count > 1 ? count - 1 : nil }
    }

    private mutating func count(_ place: Place, _ change: Int) {
        var load = self.addresses[place.address] ?? Load()
        load.all += change
        if place.isNewcomer { load.newcomers += change }
        self.addresses[place.address] = load.all > 0 ? load : nil
    }

    private mutating func nextToLeave() -> Holder? {
        for trust in ConnectionTrust.allCases where trust < .known {
            while let candidate = self.candidates[trust]?.popMin() {
                if self.isStill(candidate, trust) { return candidate.holder }
            }
        }
        return nil
    }

    private func isStill(_ candidate: Candidate, _ trust: ConnectionTrust) -> Bool {
        guard let place = self.places[candidate.holder] else { return false }
        return place.ticket == candidate.ticket && place.trust == trust
    }

    private mutating func becameCandidate(_ holder: Holder, _ place: Place) {
        guard place.trust < .known else { return }
        self.candidates[place.trust, default: Heap()].insert(Candidate(ticket: place.ticket, holder: holder))
        // Remove void candidates, which would otherwise outnumber the connections.
        guard let heap = self.candidates[place.trust], heap.count > 2 * self.connectionsMax else { return }
        self.candidates[place.trust] = Heap(heap.unordered.filter { self.isStill($0, place.trust) })
    }
}
