internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Objects when an update leaves a device without a valid grant or after an end; when a follower receives another position than the device
/// sealed; and when a follower does not notice that the server repeats, reorders or drops updates.
final class FollowingAuditor {
    /// An update of one device: two devices may send updates if the person chose another one meanwhile.
    private struct Source: Hashable {
        var profile: UInt64
        var number: FollowedUpdate.Number
    }

    private struct Account {
        var sealed: [Source: FollowedUpdate] = [:]
        var told: FollowedUpdate.Number?
        /// The longest silence that the last update announced, and when it came; nil after a silence was reported.
        var silence: (since: Instant, max: Duration)?
        /// The profiles that ended the live share.
        var ended: Set<UInt64> = []
        /// How many updates were sealed since the server knew of the follower's end.
        var sealedAfterEnd: Int?
    }

    /// The time within which a follower must be notified of a silence.
    private static let slack = Duration.seconds(1)
    /// The updates that may leave after the follower's end: one under way, and one whose reply reports the end.
    private static let lateMax = 2

    private unowned let world: Simulation
    private var accounts: [RequestID: Account] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ id: RequestID, _ what: String) {
        self.world.fail("the live share of request \(self.world.number(of: id)) \(what)")
    }

    // MARK: The device's side

    /// An app is about to seal an update.
    func sealed(_ update: FollowedUpdate, in signed: Signed<Request>, by app: FriendsApp) {
        self.world.census.add("an update leaves")
        let (device, request, id) = (app.device, signed.value, signed.value.id)
        let (grant, now, profile) = (request.grant.value, device.sharingWall, device.profile(of: app.bundle))
        // Compare the decoded form, since encoding rounds the fields.
        guard let update = try? FollowedUpdate(paddedBytes: update.paddedBytes) else {
            return self.object(id, "has an update that cannot be decoded")
        }
        let source = Source(profile: profile.number, number: update.number)
        let known = self.accounts[id]?.sealed[source]
        if let known, known != update { self.object(id, "has two different updates with the same number") }
        self.accounts[id, default: Account()].sealed[source] = update
        self.world.auditors.devices.tells(device, app.bundle)
        if let late = self.accounts[id]?.sealedAfterEnd {
            self.accounts[id]?.sealedAfterEnd = late + 1
            if late + 1 > Self.lateMax, self.world.isCalm { self.object(id, "continues after its follower ended it") }
        }
        if self.accounts[id]?.ended.contains(profile.number) == true {
            return self.object(id, "continues after the device ended it")
        }
        if profile.revoked.contains(grant.id) { return self.object(id, "continues after the grant was revoked") }
        if grant.sharer != profile.identity { return self.object(id, "continues under another person's grant") }
        if now < grant.notBefore || now >= grant.notAfter {
            return self.object(id, "continues outside the grant's period")
        }
        if let hours = grant.hours, !hours.contains(now) {
            return self.object(id, "continues at an hour that the grant excludes")
        }
        guard let end = request.followingEnd, now < end else { return self.object(id, "continues after its end") }
        guard let minutesMax = grant.followMinutesMax, request.followMinutes ?? 0 <= minutesMax else {
            return self.object(id, "continues, but the grant does not allow live sharing for that long")
        }
        guard let fix = update.place.fix else { return }
        let isReduced = min(request.precision, grant.precision) == .reduced
        guard fix.horizontalAccuracy < 5000 else { return }
        if isReduced {
            return self.object(id, "has an exact update, but only a reduced position was granted or requested")
        }
        // The person may have changed their mind since the measurement that is reported.
        if !self.world.auditors.will.will(device, app.bundle).isPrecise, update.number.count == 0 {
            self.object(id, "begins with an exact update, but the person allows the app only approximate positions")
        }
    }

    /// A device ended a following.
    func ended(_ request: Request, by profile: Home) {
        self.world.census.add("a following ends")
        self.accounts[request.id, default: Account()].ended.insert(profile.number)
    }

    /// The server confirmed an end.
    func confirmed(_ end: FollowingEnd) {
        guard end.reason == .byFollower, self.accounts[end.request]?.sealedAfterEnd == nil else { return }
        self.world.census.add("a follower ends it")
        self.accounts[end.request]?.sealedAfterEnd = 0
    }

    // MARK: The follower's side

    /// A follower handled an input, with these effects.
    func heard(_ input: Watching.Input, _ effects: [Watching.Effect], in signed: Signed<Request>) {
        let id = signed.value.id
        var account = self.accounts[id] ?? Account()
        let isSilenceSaid = effects.contains { if case .tell(.silent) = $0 { true } else { false } }
        let isEnded = effects.contains { if case .end = $0 { true } else { false } }
        if let silence = account.silence, silence.since.duration(to: self.world.now) > silence.max + Self.slack,
            !isSilenceSaid, !isEnded
        {
            self.object(id, "was silent for longer than the device had announced, and the follower did not report it")
        }
        if isSilenceSaid {
            self.world.census.add("a silence is noticed")
            account.silence = nil
        }
        if isEnded { account.silence = nil }
        if case .opened(_, let update) = input {
            if !account.sealed.contains(where: { $0.key.number == update.number && $0.value == update }) {
                self.object(id, "shows an update that no device made")
            }
            self.told(update, effects, &account, id)
        }
        self.accounts[id] = account
    }

    private func told(
        _ update: FollowedUpdate,
        _ effects: [Watching.Effect],
        _ account: inout Account,
        _ id: RequestID
    ) {
        // Nothing is reported after the end.
        guard !effects.isEmpty || account.told == update.number else { return }
        for effect in effects {
            switch effect {
            case .tell(.disturbed): self.world.census.add("a disturbance is noticed")
            case .tell(.place(let place, _, let missed)):
                self.world.census.add("an update arrives")
                if place != update.place { self.object(id, "shows another place than the device sent") }
                if let told = account.told, update.number <= told {
                    self.object(id, "shows an old update as a new one")
                }
                let isSameRun = account.told?.run == update.number.run
                let next = isSameRun ? (account.told?.count ?? 0) + 1 : 0
                if missed != update.number.count - next { self.object(id, "does not report all missing updates") }
                if missed > 0 { self.world.census.add("a gap is noticed") }
                account.told = update.number
                account.silence = (self.world.now, .seconds(Int64(update.silenceMax)))
            case .watch, .tell, .post, .end: break
            }
        }
        let isPlace = effects.contains { if case .tell(.place) = $0 { true } else { false } }
        let isDisturbed = effects.contains { if case .tell(.disturbed) = $0 { true } else { false } }
        if let told = account.told, update.number < told, !isPlace, !isDisturbed {
            self.object(id, "received an old update again, and the follower did not report it")
        }
    }
}
