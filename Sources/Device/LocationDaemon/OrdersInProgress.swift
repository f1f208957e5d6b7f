internal import WhereaboutsDeviceCore

/// The orders in progress, each with the receiver of its result.
struct OrdersInProgress {
    private var receivers: [OrderID: (OrderResult) -> Void] = [:]
    private var next: UInt64 = 1
    /// The results that the core has returned, not yet passed on.
    private var answered: [(OrderID, OrderResult)] = []

    mutating func add(_ receiver: @escaping (OrderResult) -> Void) -> OrderID {
        let id = OrderID(self.next)
        self.next += 1
        self.receivers[id] = receiver
        return id
    }

    mutating func answered(_ order: OrderID, _ result: OrderResult) { self.answered.append((order, result)) }

    /// Removes the first result; nil: none waits.
    mutating func takeResult() -> (receiver: (OrderResult) -> Void, result: OrderResult)? {
        guard !self.answered.isEmpty else { return nil }
        let (id, result) = self.answered.removeFirst()
        return (self.receivers.removeValue(forKey: id) ?? { _ in }, result)
    }
}
