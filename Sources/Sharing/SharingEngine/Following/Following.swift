package import WhereaboutsVocabulary

/// A sharer's app during live shares: decides which follower receives which update, when, and until when.
///
/// ```
///            looked: somebody follows              looked: nobody follows
///  looking ───────────────────────────▶ followed ───────────────────────▶ ended
///     └──────────────────────────────────────────────────────────────────▶
///                                     looked: nobody follows
/// ```
///
/// Each follower has its own updates: at most one is in progress, and the next one contains the newest place; places in between are dropped.
/// The grant is checked before each update (``Request/followingFault(isRevoked:now:)``), so that a revocation, the grant's hours and its end take
/// effect at once, whatever the server says. If an update does not reach the server, a newer one is sent after a pause, without limit; the follower
/// notices the silence. The profile lists the followers: the extension adds them, the person and the followers end them, and the host reads the
/// list every second. Ignored races: results for a follower who is gone, an early deadline.
package struct Following: Sendable, Hashable {
    /// The maximum number of followers of a device at a time.
    ///
    /// Source: our choice; a club's outing. Any number of followers costs a device at most four posts a second (``FollowingPace``), and reading their
    /// 128 files takes some milliseconds each second. With 128 followers each gets an update every 32 s, a third of the tolerated silence.
    package static let followersMax = 128
    /// How often the host reads the list of followers, ``Input/looked(_:)``.
    ///
    /// Source: our choice; the longest wait until an end takes effect.
    package static let look: Duration = .seconds(1)

    /// Where the app is in the diagram above.
    package enum State: Sendable, Hashable {
        /// The profile was not read yet.
        case looking
        /// The first follower started.
        case followed
        /// The last follower is gone, and the host can stop.
        case ended
    }

    /// The request of a current live share, as the profile has it.
    package struct Follower: Sendable, Hashable {
        package let request: Signed<Request>
        /// The number of the app's run for this live share, from 1.
        package let run: UInt32

        package init(request: Signed<Request>, run: UInt32) {
            self.request = request
            self.run = run
        }
    }

    package enum Input: Sendable, Hashable {
        /// The profile was read: these are the followers, in the order in which they began.
        case looked([Follower])
        /// The app reported the device's position.
        case placed(LivePlace)
        /// The server has the update, and reported whether the follower is watching.
        case posted(Request, isWatched: Bool)
        /// The update could not be posted, or the server was busy.
        case attemptFailed(Request)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Seal an update to the request's key, sign and post it, and report the result.
        case post(FollowedUpdate, Signed<Request>)
        /// Sign the end, store it in the profile, and post it; the next reading of the profile does not list the follower.
        case end(Request, FollowingEnd.Reason)
    }

    private struct Account: Sendable, Hashable {
        let follower: Follower
        var count: UInt32 = 0
        var told: FollowedPlace?
        var toldAt: EngineInstant?
        /// When to post again after a failed attempt.
        var rest: EngineInstant?
        var isUnderWay = false
        var isWatched = true
        /// Whether the live share's end was passed to the host to be stored in the profile.
        var isOver = false
        /// The pauses between attempts to post an update that the server refused.
        ///
        /// Source: our choice; updates arrive within seconds of a server's restart, and the longest pause is that of keepalives.
        var pauses = Backoff(from: .seconds(1), to: FollowingPace.beat)

        var request: Request { self.follower.request.value }
        var isReduced: Bool { min(self.request.precision, self.request.grant.value.precision) == .reduced }
    }

    package private(set) var state: State = .looking
    /// The followers, in the order in which they began.
    private var accounts: [Account] = []
    private var track = FollowedTrack()
    /// Whether the app has lost the permission to get the device's position.
    private var isDenied = false
    /// When to send the next update, or when a live share's time is over.
    package private(set) var deadline: EngineInstant?

    /// Creates the machine of an app that has just started.
    package init() {}

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - records: the device's records.
    ///   - now: the time.
    ///   - generator: draws the lengths of the pauses.
    /// - Returns: the effects, to be carried out in this order.
    package mutating func handle(
        _ input: Input,
        _ records: some SharerRecords,
        now: Now,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        guard self.state != .ended else { return [] }
        switch input {
        case .looked(let followers): self.looked(followers)
        case .placed(let live):
            self.isDenied = live == .denied
            switch live {
            case .fix(let fix, let isStationary):
                self.track.located(fix, isStationary: isStationary, now: now.wall)
            case .unknown(let reason): self.track.lost(reason)
            case .denied: break
            }
        case .posted(let request, let isWatched):
            self.change(request) { account in
                (account.isUnderWay, account.isWatched, account.rest) = (false, isWatched, nil)
                account.pauses.reset()
            }
        case .attemptFailed(let request):
            self.change(request) { account in
                account.isUnderWay = false
                account.rest = now.monotonic.advanced(by: account.pauses.next(using: &generator))
            }
        case .deadlineReached: break
        }
        return self.tell(records, now: now)
    }

    private mutating func change(_ request: Request, _ body: (inout Account) -> Void) {
        guard let index = self.accounts.firstIndex(where: { $0.request == request && $0.isUnderWay }) else { return }
        body(&self.accounts[index])
    }

    private mutating func looked(_ followers: [Follower]) {
        let known = self.accounts
        self.accounts = followers.prefix(Self.followersMax).map { follower in
            var account = known.first { $0.follower == follower } ?? Account(follower: follower)
            // The profile could not store the end, for example on a full disk, so the live share continues. The numbers
            // continue, because a follower ignores repeated ones.
            account.isOver = false
            return account
        }
        self.state = self.accounts.isEmpty ? .ended : .followed
    }

    // MARK: Sending updates

    /// Sends the updates whose time has come, ends finished live shares, and sets the deadline.
    private mutating func tell(_ records: some SharerRecords, now: Now) -> [Effect] {
        var effects: [Effect] = []
        var next: [EngineInstant] = []
        let watching = self.accounts.count { $0.isWatched && !$0.isOver }
        self.accounts = self.accounts.map { account in
            if account.isOver { return account }
            var account = account
            let request = account.request
            let isRevoked = records.isVoid(request.grant.value.id)
            let fault = request.followingFault(isRevoked: isRevoked, now: now.wall) ?? (self.isDenied ? .paused : nil)
            if let fault {
                effects.append(.end(request, fault))
                account.isOver = true
                return account
            }
            if let end = request.followingEnd {
                next.append(now.monotonic.advanced(by: max(.zero, now.wall.duration(to: end))))
            }
            guard !account.isUnderWay, let place = self.track.place else { return account }
            let due = Self.due(account, place, watching: watching, now: now.monotonic)
            guard due <= now.monotonic else {
                next.append(due)
                return account
            }
            // The person may have ended the live share, perhaps in another process, since the profile was read.
            if records.hasEnded(request) {
                account.isOver = true
                return account
            }
            if let update = Self.update(&account, place, now: now) {
                effects.append(.post(update, account.follower.request))
            }
            return account
        }
        self.deadline = next.min()
        return effects
    }

    private static func due(
        _ account: Account,
        _ place: FollowedPlace,
        watching: Int,
        now: EngineInstant
    ) -> EngineInstant {
        let rest = account.rest ?? now
        guard let told = account.told, let toldAt = account.toldAt else { return rest }
        let wait = FollowingPace.wait(
            after: told,
            for: place,
            isReduced: account.isReduced,
            isWatched: account.isWatched,
            followers: watching
        )
        return max(rest, toldAt.advanced(by: wait))
    }

    /// The next update of a follower; nil when the position cannot be reported.
    private static func update(_ account: inout Account, _ place: FollowedPlace, now: Now) -> FollowedUpdate? {
        let isReduced = account.isReduced
        guard let said = isReduced ? place.reduced() : place else { return nil }
        let silence = FollowingPace.silence(after: said, isReduced: isReduced)
        let update = FollowedUpdate(
            number: .init(run: account.follower.run, count: account.count),
            time: now.wall,
            silenceMax: UInt16(clamping: silence.components.seconds),
            place: said
        )
        account.count += 1
        (account.told, account.toldAt, account.isUnderWay) = (place, now.monotonic, true)
        return update
    }
}

extension FollowedPlace {
    /// The cell of the fix, always as `moving`: the follower must not learn when the device rests; nil if the fix has no cell.
    fileprivate func reduced() -> FollowedPlace? {
        switch self {
        case .moving(let fix), .still(let fix, _): (try? fix.reduced()).map { .moving($0) }
        case .unknown: self
        }
    }
}
