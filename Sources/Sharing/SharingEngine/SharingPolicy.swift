package import WhereaboutsVocabulary

/// Every number by which the sharing server decides, with its source.
public struct SharingPolicy: Sendable, Hashable {
    /// How long a device has to answer after the push was accepted; greater than zero, default 30 s.
    ///
    /// Source: *documented*, a location push service extension has about 30 s (Apple, "Creating a location push service
    /// extension").
    public private(set) var allowance: Duration
    /// How long after an unanswered or failed push the next attempt is made; greater than zero, default 5 s.
    ///
    /// Source: our choice; a push is answered within a second, and the allowance leaves room for five attempts.
    public private(set) var pushRetry: Duration
    /// The longest time from a request's issue to its expiry; greater than zero, default 10 min.
    ///
    /// Source: our choice; the client SDK asks for 2 min, and seen ids are kept for as long.
    public let lifetimeMax: Duration
    /// How far ahead of the server's clock a requester's may be; not negative, default 2 min.
    ///
    /// Source: our choice; phones keep time to seconds, small boards without a battery to minutes.
    public let clockSkewMax: Duration
    /// How many requests to one sharer may be unfinished, greater than zero, default 16; beyond it the reply is "too soon".
    ///
    /// Source: our choice; each is sealed within about 0.3 ms, so one wake answers all of them.
    public let pendingPerSharerMax: Int
    /// How many revocations of one sharer are stored until their grants end, greater than zero, default 1000.
    ///
    /// Beyond it the server refuses, and only the device rejects such requests.
    ///
    /// Source: our choice; a revoked grant for each day of almost three years.
    public let revocationsPerSharerMax: Int
    /// How many unfinished requests to one sharer may use one grant, greater than zero, default 4; beyond it the reply
    /// is "too soon".
    ///
    /// Source: our choice; a quarter of the places, so that no single requester keeps the others out.
    public let pendingPerGrantMax: Int
    /// How many requests to one sharer are stored until their expiry, greater than zero, default 256; beyond it the
    /// reply is "too soon".
    ///
    /// Source: our choice; half a megabyte a sharer, and more than a device answers in that time.
    public let requestsPerSharerMax: Int
    /// The maximum number of one sharer's grants whose ``Pace`` has a date in the future, greater than zero, default 1000.
    ///
    /// Beyond this, requests under other grants are refused as "too soon".
    ///
    /// Source: our choice; as many as ``revocationsPerSharerMax``.
    public let grantsInUsePerSharerMax: Int
    /// The rate limit for requests under a grant without an interval; default: a burst of 30, then one every 24 min.
    ///
    /// Source: our choice; a quarter of a device's push budget (a burst of 120, then one every 6 min), so that no single
    /// requester uses up the budget of the others.
    public let requestPace: Pace
    /// The rate limit for pushes to all devices of one sharer; default: a burst of 120, then one every 6 min.
    ///
    /// Source: the budget of one device (`pushBudgetCapacity`, `pushBudgetRefill`, `pushBudgetReserve`); Apple documents none.
    public let pushPace: Pace
    /// How long a registration is stored without renewal, greater than zero, default 30 days.
    ///
    /// Registering again and answering both renew it.
    ///
    /// Source: our choice; apps register at each launch, and the push service stores nothing for longer.
    public let registrationLifetime: Duration
    /// The rate limit for registrations of known sharers from one address; default: a burst of 256, then one a second.
    ///
    /// Source: our choice; enough for a building where everyone opens the app at the same time; each registration costs a commit.
    public let registrationPace: Pace
    /// The rate limit for registrations of new sharers from one address; default: a burst of 64, then one every 10 s.
    ///
    /// Source: our choice; in a building where everyone starts on one day, people wait some minutes; 30 days at this rate need 130 MB.
    public let newcomerPace: Pace

    /// The maximum number of devices of a sharer that are registered at a time.
    ///
    /// Source: our choice; a person's phones, tablets and computers, and room to replace one.
    public static let devicesPerSharerMax = 8

    /// The maximum number of removed devices that are stored for a sharer; beyond this, the oldest is deleted.
    ///
    /// Source: our choice; twice the number of registered devices.
    public static let removedDevicesPerSharerMax = 16

    /// The maximum number of schedules that ask one sharer at a time.
    ///
    /// Source: our choice; enough for a family and its friends, with one schedule each.
    public static let schedulesPerSharerMax = 16
    /// The maximum number of schedules under one grant.
    ///
    /// Source: our choice; a quarter of a sharer's schedules, so that no single requester keeps the others out.
    public static let schedulesPerGrantMax = 4

    /// The maximum number of links of a sharer.
    ///
    /// Source: our choice; a link for each occasion of a month.
    public static let linksPerSharerMax = 32
    /// The maximum lifetime of a link: 31 days.
    ///
    /// Source: our choice; as long as an invitation. Strangers can store links, and links can be passed on.
    public static let linkLifetimeMax: Duration = .seconds(31 * 86_400)
    /// The rate limit for reads of nonexistent links from one address: a burst of 32, then one every 30 s.
    ///
    /// Source: our choice; enough for a household that mistypes a password, and at most 2,912 guesses on the first day.
    public static let linkMissPace = Pace(interval: .seconds(30), burst: 32)

    /// The maximum lifetime of a grant, and so of its revocation: ten years.
    ///
    /// Source: our choice; longer than a phone lasts, and than people can plan.
    public static let grantLifetimeMax: Duration = .seconds(3653 * 86_400)

    /// Creates a policy; omitted arguments have their default.
    public init(
        allowance: Duration = .seconds(30),
        pushRetry: Duration = .seconds(5),
        lifetimeMax: Duration = .seconds(600),
        clockSkewMax: Duration = .seconds(120),
        pendingPerSharerMax: Int = 16,
        revocationsPerSharerMax: Int = 1000,
        pendingPerGrantMax: Int = 4,
        requestsPerSharerMax: Int = 256,
        grantsInUsePerSharerMax: Int = 1000,
        requestPace: Pace = Pace(interval: .seconds(24 * 60), burst: 30),
        pushPace: Pace = Pace(interval: .seconds(6 * 60), burst: 120),
        registrationLifetime: Duration = .seconds(30 * 86_400),
        registrationPace: Pace = Pace(interval: .seconds(1), burst: 256),
        newcomerPace: Pace = Pace(interval: .seconds(10), burst: 64)
    ) {
        precondition(allowance > .zero, "allowance must be > 0 s, got \(allowance)")
        precondition(pushRetry > .zero, "pushRetry must be > 0 s, got \(pushRetry)")
        precondition(lifetimeMax > .zero, "lifetimeMax must be > 0 s, got \(lifetimeMax)")
        precondition(clockSkewMax >= .zero, "clockSkewMax must be >= 0 s, got \(clockSkewMax)")
        precondition(pendingPerSharerMax > 0, "pendingPerSharerMax must be > 0, got \(pendingPerSharerMax)")
        precondition(revocationsPerSharerMax > 0, "revocationsPerSharerMax must be > 0, got \(revocationsPerSharerMax)")
        precondition(pendingPerGrantMax > 0, "pendingPerGrantMax must be > 0, got \(pendingPerGrantMax)")
        precondition(requestsPerSharerMax > 0, "requestsPerSharerMax must be > 0, got \(requestsPerSharerMax)")
        precondition(grantsInUsePerSharerMax > 0, "grantsInUsePerSharerMax must be > 0, got \(grantsInUsePerSharerMax)")
        precondition(registrationLifetime > .zero, "registrationLifetime must be > 0 s, got \(registrationLifetime)")
        self.allowance = allowance
        self.pushRetry = pushRetry
        self.lifetimeMax = lifetimeMax
        self.clockSkewMax = clockSkewMax
        self.pendingPerSharerMax = pendingPerSharerMax
        self.revocationsPerSharerMax = revocationsPerSharerMax
        self.pendingPerGrantMax = pendingPerGrantMax
        self.requestsPerSharerMax = requestsPerSharerMax
        self.grantsInUsePerSharerMax = grantsInUsePerSharerMax
        self.requestPace = requestPace
        self.pushPace = pushPace
        self.registrationLifetime = registrationLifetime
        self.registrationPace = registrationPace
        self.newcomerPace = newcomerPace
    }

    /// The latest end of a grant for requests under it to be accepted and for its revocation to be stored.
    ///
    /// The server forgets a revocation when its grant ends.
    func grantEndMax(now: WallTime) -> WallTime { now.advanced(by: Self.grantLifetimeMax + self.clockSkewMax) }

    /// Whether half of a sharer's pushes are spent; the rest is divided fairly among the requesters.
    package func isScarce(pushesPaidUntil: WallTime?, now: WallTime) -> Bool {
        switch self.pushPace.use(paidUntil: pushesPaidUntil, reserve: self.pushPace.burst / 2, now: now) {
        case .pass: false
        case .tooSoon: true
        }
    }

    /// The policy for an occurrence of a schedule: no person waits, so the device has the occurrence's whole lifetime.
    package var ofOccurrences: SharingPolicy {
        var policy = self
        policy.allowance = Repetition.occurrenceLifetime
        policy.pushRetry = Self.occurrenceRetry
        return policy
    }

    /// The time between two attempts to push an occurrence.
    ///
    /// Source: our choice; while the push service is down, an occurrence has ten attempts.
    private static let occurrenceRetry: Duration = .seconds(60)
}
