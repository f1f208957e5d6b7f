internal import HeapModule

/// Decides who holds one of a bounded number of places: connections of a listener.
///
/// Bounds are by address before they are for all, and count strangers alone. When every place is taken a stranger gives
/// way, the least proven first, of those the one that came first; a holder that is known never does.
package struct Places<Holder: Hashable & Sendable>: Sendable {
    /// How much a holder has shown so far.
    package enum Trust: Int, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case unproven
        /// That it holds a key; one costs nothing to make.
        case proven
        /// That somebody relies on it: a push came for it, or it may push.
        case known
    }

    /// Actions returned by ``arrived(_:from:)``.
    package enum OnArrival: Sendable, Hashable {
        /// Let it in.
        case admit
        /// Let it in, and end this stranger's connection.
        case replace(Holder)
        /// Turn it away: its address has as many strangers as it may.
        case refuseAddress
        /// Turn it away: everybody who is in is known.
        case refuse
    }

    private struct Place: Sendable {
        let address: AddressBlock
        let ticket: UInt64
        var trust: Trust
    }

    /// A stranger's turn to give way; void once its place has another ticket or trust.
    private struct Turn: Comparable, Sendable {
        let ticket: UInt64
        let holder: Holder

        static func < (lhs: Turn, rhs: Turn) -> Bool { lhs.ticket < rhs.ticket }
        static func == (lhs: Turn, rhs: Turn) -> Bool { lhs.ticket == rhs.ticket }
    }

    /// The most holders.
    package let placesMax: Int
    /// The most strangers of one address.
    package let strangersPerAddressMax: Int
    private var places: [Holder: Place] = [:]
    private var strangers: [AddressBlock: Int] = [:]
    private var unproven = Heap<Turn>()
    private var proven = Heap<Turn>()
    private var ticket: UInt64 = 0

    /// Creates places that nobody holds; of one address at most a hundredth may be strangers, but 16 at least.
    package init(placesMax: Int) {
        precondition(placesMax > 0, "there is a place, got \(placesMax)")
        self.placesMax = placesMax
        self.strangersPerAddressMax = max(16, placesMax / 100)
    }

    /// The number of holders.
    package var count: Int { self.places.count }

    /// Records that somebody wants a place.
    package mutating func arrived(_ holder: Holder, from address: AddressBlock) -> OnArrival {
        guard self.strangers[address, default: 0] < self.strangersPerAddressMax else { return .refuseAddress }
        var action = OnArrival.admit
        if self.places.count >= self.placesMax {
            guard let stranger = self.nextToGo() else { return .refuse }
            self.left(stranger)
            action = .replace(stranger)
        }
        self.ticket += 1
        self.places[holder] = Place(address: address, ticket: self.ticket, trust: .unproven)
        self.strangers[address, default: 0] += 1
        self.unproven.insert(Turn(ticket: self.ticket, holder: holder))
        self.dropVoidTurns()
        return action
    }

    /// Records that a holder has shown more; less than before changes nothing.
    package mutating func showed(_ trust: Trust, _ holder: Holder) {
        guard var place = self.places[holder], trust.rawValue > place.trust.rawValue else { return }
        place.trust = trust
        self.places[holder] = place
        switch trust {
        case .unproven: break
        case .proven: self.proven.insert(Turn(ticket: place.ticket, holder: holder))
        case .known: self.forgetStranger(at: place.address)
        }
    }

    /// Records that a holder is gone; one that was replaced is already.
    package mutating func left(_ holder: Holder) {
        guard let place = self.places.removeValue(forKey: holder) else { return }
        if place.trust != .known { self.forgetStranger(at: place.address) }
    }

    private mutating func forgetStranger(at address: AddressBlock) {
        guard let count = self.strangers[address] else { return }
        self.strangers[address] = count > 1 ? count - 1 : nil
    }

    private mutating func nextToGo() -> Holder? {
        while let turn = self.unproven.popMin() { if self.isDue(turn, .unproven) { return turn.holder } }
        while let turn = self.proven.popMin() { if self.isDue(turn, .proven) { return turn.holder } }
        return nil
    }

    private func isDue(_ turn: Turn, _ trust: Trust) -> Bool {
        guard let place = self.places[turn.holder] else { return false }
        return place.ticket == turn.ticket && place.trust == trust
    }

    /// Keeps the turns of those who left from outgrowing those who are here.
    private mutating func dropVoidTurns() {
        if self.unproven.count > 2 * self.placesMax {
            self.unproven = Heap(self.unproven.unordered.filter { self.isDue($0, .unproven) })
        }
        if self.proven.count > 2 * self.placesMax {
            self.proven = Heap(self.proven.unordered.filter { self.isDue($0, .proven) })
        }
    }
}
