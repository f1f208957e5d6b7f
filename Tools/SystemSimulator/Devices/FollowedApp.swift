internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The part of a ``FriendsApp`` that sends updates to followers: the machine of `Sharer` over the modelled network.
final class FollowedApp {
    private unowned let app: FriendsApp
    private var following = Following()
    private var known: [RequestID: Following.Follower] = [:]
    private lazy var alarm = Alarm(self.app) { [weak self] in self?.feed(.deadlineReached) }
    let stream: UInt64

    private lazy var records = Home.Records(device: self.device, bundle: self.app.bundle)
    private var device: DeviceNode { self.app.device }
    private var server: ServerNode { self.device.world.server }

    init(_ app: FriendsApp) {
        self.app = app
        self.stream = app.read(.live(.default))
    }

    /// Checks every second for followers, until there are none.
    func look() {
        guard self.following.state != .ended else { return }
        let (profile, bundle) = (self.device.profile(of: self.app.bundle), self.app.bundle)
        var followers: [Following.Follower] = []
        for request in profile.followers(now: self.device.sharingWall) {
            let id = request.value.id
            if self.known[id] == nil, let run = self.device.nextRun(of: id, of: bundle) {
                self.known[id] = Following.Follower(request: request, run: run)
            }
            if let follower = self.known[id] { followers.append(follower) }
        }
        self.feed(.looked(followers))
        guard self.following.state != .ended else { return self.app.nobodyFollows() }
        self.app.later(Following.look) { [weak self] in self?.look() }
    }

    func told(_ update: Update) {
        if let fix = update.fix, let shared = try? SharedFix(fix) {
            let isStationary = update.diagnostics.contains(.stationary)
            self.feed(.placed(.fix(shared, isStationary: isStationary)))
        } else if !update.diagnostics.isDisjoint(with: [.authorizationDenied, .insufficientlyInUse]) {
            self.feed(.placed(.denied))
        }
    }

    private func feed(_ input: Following.Input) {
        let now = self.device.engineNow
        for effect in self.following.handle(input, self.records, now: now, using: &self.device.random) {
            switch effect {
            case .post(let update, let request): self.post(update, request)
            case .end(let request, let reason):
                if self.device.end(request.id, reason, of: self.app.bundle) {
                    self.device.tell(request, reason, of: self.app.bundle)
                }
            }
        }
        self.alarm.follow(self.following.deadline)
    }

    private func post(_ update: FollowedUpdate, _ signed: Signed<Request>) {
        let (request, server) = (signed.value, self.server)
        self.device.world.auditors.followings.sealed(update, in: signed, by: self.app)
        let info = signed.followingInfo
        guard
            let sealed = try? self.device.sealing.seal(
                to: request.publicKey,
                suite: request.suite,
                info: info,
                message: { update.paddedBytes }
            )
        else { return self.device.world.fail("an update could not be sealed") }
        let statement = ModelNotary.sign(
            SealedUpdate(request: request.id, sharer: request.grant.value.sharer, sealed: sealed)
        )
        let standing = self.device.profile(of: self.app.bundle).standing
        self.device.world.call(from: self.device.id, to: server, timeout: Attempts.attemptMax) {
            try server.update(statement, by: standing?.id)
        } then: { [self] result in
            self.app.run { self.replied(result, to: request) }
        }
    }

    private func replied(_ result: Result<SharingCore.Reply?, NetworkError>, to request: Request) {
        switch result {
        case .success(.shown(let isWatched)?): self.feed(.posted(request, isWatched: isWatched))
        case .success(.over(let reason, _)?): self.ended(request, reason)
        case .success(.unknown?): self.ended(request, .lost)
        case .success, .failure: self.feed(.attemptFailed(request))
        }
    }

    private func ended(_ request: Request, _ reason: FollowingEnd.Reason) {
        _ = self.device.end(request.id, reason, of: self.app.bundle)
        self.feed(.posted(request, isWatched: false))
    }
}

extension FriendsApp {
    /// Begins to send updates, if there are followers.
    func lookWhoFollows() {
        guard self.followed == nil, self.client != nil else { return }
        guard !self.device.profile(of: self.bundle).followers(now: self.device.sharingWall).isEmpty else { return }
        let followed = FollowedApp(self)
        self.followed = followed
        followed.look()
    }

    /// Stops sending updates.
    func nobodyFollows() {
        guard let followed = self.followed else { return }
        self.followed = nil
        self.invalidate(followed.stream)
    }
}

extension DeviceNode {
    /// Reports an end to the server, again and again until the server replies.
    func tell(_ request: Request, _ reason: FollowingEnd.Reason, of bundle: BundleID) {
        let end = FollowingEnd(
            request: request.id,
            author: request.grant.value.sharer,
            time: self.sharingWall,
            reason: reason
        )
        let (signed, server) = (ModelNotary.sign(end), self.world.server)
        self.world.call(from: self.id, to: server, timeout: .seconds(10)) {
            try server.end(signed)
        } then: { [unowned self] result in
            if case .success(true) = result { return }
            self.world.later(.seconds(5)) { [unowned self] in self.tell(request, reason, of: bundle) }
        }
    }
}
