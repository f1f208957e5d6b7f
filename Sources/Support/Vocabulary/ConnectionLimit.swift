internal import HeapModule

/// Decides which connections of a listener are kept when the limit is reached.
///
/// While half of the places are free, every connection is accepted: a provider that opens a hundred connections at once, or an office
/// behind one address, is no attack. From then on places are scarce. An address may not get more than its share, nor may a key. When the
/// last place is taken, a stranger makes room for the newcomer: the one that has shown least, and of those the oldest. A connection that
/// others rely on (``ConnectionTrust/known``) never makes room.
package struct ConnectionLimit<Holder: Hashable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// Actions returned by ``arrived(_:from:trust:)``.
    package enum OnArrival: Sendable, Hashable {
        case admit
        /// Keep it, and close this stranger's.
        case replace(Holder)
        /// Close it: places are scarce, and its address has its share.
        case refuseAddress
        /// Close it: known peers hold all connections.
        case refuse
    }

    /// Actions returned by ``identified(_:as:)``.
    package enum OnIdentified: Sendable, Hashable {
        case keep
        /// Close the connection: places are scarce, and its key has its share.
        case refuse
    }

    private struct Place: Sendable {
        let address: AddressBlock
        let ticket: UInt64
        var trust: ConnectionTrust
        var key: Key?

        /// Whether the connection counts as a newcomer of its address.
        var isNewcomer: Bool { self.trust < .enrolled }
    }

    /// The connections of one address.
    private struct Load: Sendable {
        var all = 0
        var newcomers = 0
    }

    /// A stranger's place in the order of leaving.
    ///
    /// It is void when the holder has left or shown more since.
    private struct Candidate: Sendable, Comparable {
        let ticket: UInt64
        let holder: Holder

        static func < (lhs: Candidate, rhs: Candidate) -> Bool { lhs.ticket < rhs.ticket }
        static func == (lhs: Candidate, rhs: Candidate) -> Bool { lhs.ticket == rhs.ticket }
    }

    /// The share of a party that would otherwise get less, so that a small limit does not refuse a single client's burst.
    private static var shareMin: Int { 16 }

    package let connectionsMax: Int
    /// The most connections of one address with an unenrolled, unknown peer, while connections are scarce.
    ///
    /// Source: our choice. A hundredth leaves room for the newcomers of a hundred addresses.
    package let newcomersPerAddressMax: Int
    /// The most connections of one address, known ones included, while places are scarce.
    ///
    /// Source: our choice. A carrier's NAT has thousands of devices behind one address, so it is a quarter.
    package let perAddressMax: Int
    /// The most connections of one key, while places are scarce.
    ///
    /// Source: our choice. APNs advises providers to spread their load over several connections, not over hundreds.
    package let perKeyMax: Int

    private var places: [Holder: Place] = [:]
    private var addresses: [AddressBlock: Load] = [:]
    private var keys: [Key: Int] = [:]
    /// The strangers of each trust below known, in the order of leaving.
    private var candidates: [ConnectionTrust: Heap<Candidate>] = [:]
    private var ticket: UInt64 = 0

    /// Creates a limit of which nothing is used.
    package init(connectionsMax: Int) {
        precondition(connectionsMax >= 0, "a limit is not negative, got \(connectionsMax)")
        self.connectionsMax = connectionsMax
        self.newcomersPerAddressMax = max(Self.shareMin, connectionsMax / 100)
        self.perAddressMax = max(Self.shareMin, connectionsMax / 4)
        self.perKeyMax = max(Self.shareMin, connectionsMax / 10)
    }

    package var count: Int { self.places.count }

    /// Whether the shares per address apply: half of the connections are in use.
    private var isScarce: Bool { 2 * self.places.count >= self.connectionsMax }

    /// Records a new connection.
    ///
    /// - Parameters:
    ///   - holder: names the connection.
    ///   - address: where it comes from.
    ///   - trust: what is known of its other end already.
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
    /// A lower trust than before changes nothing.
    package mutating func showed(_ trust: ConnectionTrust, _ holder: Holder) {
        guard let before = self.places[holder], trust > before.trust else { return }
        var place = before
        place.trust = trust
        self.places[holder] = place
        self.count(before, -1)
        self.count(place, 1)
        self.becameCandidate(holder, place)
    }

    /// Records the owner of a connection.
    ///
    /// It counts for the first key that it is given.
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
    /// The end of one that was replaced is known already.
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
        // Void candidates would otherwise outgrow the connections.
        guard let heap = self.candidates[place.trust], heap.count > 2 * self.connectionsMax else { return }
        self.candidates[place.trust] = Heap(heap.unordered.filter { self.isStill($0, place.trust) })
    }
}
