internal import OrderedCollections
internal import WhereaboutsVocabulary

/// The apps' debts to the budget's reserve, bounded so that an app that floods cannot starve another (ADR 0022).
///
/// ```
///                  spent, share used up
///   open(app) ─────────────────────────▶ closed(app)
///       ▲                                     │
///       └── enough settled, or reserve full ──┘
/// ```
/// Each push from the reserve adds a debt: the time in which one push is refilled, times the number of apps that share.
/// An app may owe at most the time in which the whole reserve is refilled. So each of `n` apps has an `n`-th of the
/// reserve, and all debts together never exceed it: an app with an open share never finds the budget empty.
struct FairShare: Sendable, Hashable {
    /// The debt of one app.
    struct Account: Sendable, Hashable {
        /// When the whole debt is repaid.
        var settled: EngineInstant
        /// Whether the app must wait until enough is repaid.
        var isClosed = false
    }

    private(set) var accounts: OrderedDictionary<BundleID, Account> = [:]
    @Boxed private var policy: Policy

    init(policy: Policy) {
        self._policy = Boxed(policy)
    }

    /// The maximum debt of an app.
    private var most: Duration { self.policy.pushBudgetRefill * self.policy.pushBudgetReserveInUse }

    /// A closed app opens again when its debt is at most this.
    private var reopening: Duration {
        max(.zero, self.most - self.policy.pushBudgetRefill * self.policy.pushBudgetReopening)
    }

    func isOpen(for bundle: BundleID) -> Bool { self.accounts[bundle]?.isClosed != true }

    /// Whether an app must wait.
    var hasClosed: Bool { self.accounts.values.contains(where: \.isClosed) }

    /// When the next app has repaid enough.
    var deadline: EngineInstant? {
        self.accounts.values.filter(\.isClosed).map { $0.settled - self.reopening }.min()
    }

    /// Records a push that the reserve accepted.
    ///
    /// - Returns: whether the push used up the app's share.
    mutating func spent(by bundle: BundleID, among apps: Int, now: EngineInstant) -> Bool {
        let price = self.policy.pushBudgetRefill * max(apps, 1)
        var account = self.accounts[bundle] ?? Account(settled: now)
        account.settled = max(account.settled, now).advanced(by: price)
        // Closed when another push would not fit.
        account.isClosed = now.duration(to: account.settled) + price > self.most
        self.accounts[bundle] = account
        return account.isClosed
    }

    /// Opens the apps that settled enough, or all of them while the reserve is full.
    ///
    /// - Returns: the apps that may spend again.
    mutating func settle(isReserveFull: Bool, now: EngineInstant) -> [BundleID] {
        var opened: [BundleID] = []
        for (bundle, account) in self.accounts where account.isClosed {
            if isReserveFull || now.duration(to: account.settled) <= self.reopening {
                self.accounts[bundle]?.isClosed = false
                opened.append(bundle)
            }
        }
        self.accounts.removeAll { !$0.value.isClosed && $0.value.settled <= now }
        return opened
    }

    mutating func restore(_ bundle: BundleID, owed: Duration, isClosed: Bool, now: EngineInstant) {
        self.accounts[bundle] = Account(settled: now.advanced(by: max(.zero, min(owed, self.most))), isClosed: isClosed)
    }
}

extension Policy {
    /// The reserve in pushes, at most the budget's capacity.
    var pushBudgetReserveInUse: Int { min(self.pushBudgetReserve, self.pushBudgetCapacity) }
}
