package import WhereaboutsVocabulary

/// A sharer's app during live shares: which follower receives which update, when, and until when.
///
/// ```
///            looked: somebody follows              looked: nobody follows
///  looking ───────────────────────────▶ followed ───────────────────────▶ ended
///     └──────────────────────────────────────────────────────────────────▶
///                                     looked: nobody follows
/// ```
///
/// Each follower is told by itself: at most one update is under way, the next one says where the device is then, and what came meanwhile is
/// dropped. The grant is looked at before each (``Request/followingFault(isRevoked:now:)``), so that a revocation, the end of an hour and the end of the
/// time hold at once, whatever the server says. An update that does not reach the server is followed by a newer one after a pause, without an end: the
/// follower sees the silence. The profile says who follows: the extension adds, the person and the followers end, and the host looks
/// every second. Ignored races: words of a follower that is gone, an early deadline.
package struct Following: Sendable, Hashable {
    /// The most followers of a device at a time.
    ///
    /// Source: our choice; a club's outing. Together they cost a device four posts a second, however many they are (``FollowingPace``), and it reads
    /// their 128 files in some milliseconds each second; with this many each is told every 32 s, a third of the silence that is no loss yet.
    package static let followersMax = 128
    /// How often the host looks who follows, ``Input/looked(_:)``.
    ///
    /// Source: our choice; anyone who ends a following waits no longer.
    package static let look: Duration = .seconds(1)

    /// Where the app is in the diagram above.
    package enum State: Sendable, Hashable {
        /// The profile was not looked at.
        case looking
        /// The first follower started.
        case followed
        /// The last follower is gone, and the host can stop.
        case ended
    }

    /// The request of a current live share, as the profile has it.
    package struct Follower: Sendable, Hashable {
        package let request: Signed<Request>
        /// The number of the app's run for it, from 1.
        package let run: UInt32

        package init(request: Signed<Request>, run: UInt32) {
            self.request = request
            self.run = run
        }
    }

    package enum Input: Sendable, Hashable {
        /// The profile was looked at: these follow, in the order in which they began.
        case looked([Follower])
        /// The app reported the device's position.
        case placed(LivePlace)
        /// The server has the update; whether the follower looks.
        case posted(RequestID, isWatched: Bool)
        /// The server was not reached with the update, or was busy.
        case attemptFailed(RequestID)
        /// The host's timer fired; legal at every time.
        case deadlineReached
    }

    /// A command to the host; effects are carried out in their order.
    package enum Effect: Sendable, Hashable {
        /// Seal an update to the request's key, sign and post it, and report the result.
        case post(FollowedUpdate, Signed<Request>)
        /// Sign the end, store it in the profile, and post it; the follower is gone at the next look.
        case end(Request, FollowingEnd.Reason)
    }

    private struct Account: Sendable, Hashable {
        let follower: Follower
        var count: UInt32 = 0
        var told: FollowedPlace?
        var toldAt: EngineInstant?
        /// Before then nothing is posted, since the server was not reached.
        var rest: EngineInstant?
        var isUnderWay = false
        var isWatched = true
        /// Whether the profile is to keep its end.
        var isOver = false
        /// The pauses between attempts to post an update that the server refused.
        ///
        /// Source: our choice; a move is reported within seconds of a server's restart, and seldom more often than a device at rest speaks.
        var pauses = Backoff(from: .seconds(1), to: FollowingPace.beat)

        var request: Request { self.follower.request.value }
        var isReduced: Bool { min(self.request.precision, self.request.grant.value.precision) == .reduced }
    }

    package private(set) var state: State = .looking
    /// The followers, in the order in which they began.
    private var accounts: [Account] = []
    private var track = FollowedTrack()
    /// Whether the app may not know any more where the device is.
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
    ///   - generator: where the pauses come from.
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
        case .posted(let id, let isWatched):
            self.change(id) { account in
                (account.isUnderWay, account.isWatched, account.rest) = (false, isWatched, nil)
                account.pauses.reset()
            }
        case .attemptFailed(let id):
            self.change(id) { account in
                account.isUnderWay = false
                account.rest = now.monotonic.advanced(by: account.pauses.next(using: &generator))
            }
        case .deadlineReached: break
        }
        return self.tell(records, now: now)
    }

    private mutating func change(_ id: RequestID, _ body: (inout Account) -> Void) {
        guard let index = self.accounts.firstIndex(where: { $0.request.id == id && $0.isUnderWay }) else { return }
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

    // MARK: Telling

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
            // A person may have ended it, perhaps in another process, since the profile was read.
            if records.hasEnded(request.id) {
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
    /// The cell of the place, which reveals neither movement nor rest; nil when there is none.
    fileprivate func reduced() -> FollowedPlace? {
        switch self {
        case .moving(let fix), .still(let fix, _): (try? fix.reduced()).map { .moving($0) }
        case .unknown: self
        }
    }
}
