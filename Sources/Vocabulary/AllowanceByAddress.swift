/// An allowance for each address, of bounded memory.
package struct AllowanceByAddress: Sendable {
    /// The most addresses that are told apart; those beyond share one allowance.
    package static let addressesMax = 10_000

    private let fresh: Allowance
    private var allowances: [AddressBlock: Allowance] = [:]
    private var shared: Allowance

    /// Creates allowances of which nothing was taken.
    package init(burst: Int, every interval: Duration) {
        self.fresh = Allowance(burst: burst, every: interval)
        self.shared = self.fresh
    }

    /// Takes one from an address's allowance.
    ///
    /// - Returns: whether there was one.
    package mutating func take(for address: AddressBlock, now: EngineInstant) -> Bool {
        if self.allowances[address] == nil, self.allowances.count >= Self.addressesMax {
            self.allowances = self.allowances.filter { !$0.value.isWhole(now: now) }
            if self.allowances.count >= Self.addressesMax { return self.shared.take(now: now) }
        }
        return self.allowances[address, default: self.fresh].take(now: now)
    }
}
