internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A sharing app's files on its device's disk: identity, revocations, given answers, uses of grants, journal (`SharingProfile`).
struct Home {
    private(set) var identity: PublicIdentity
    /// The number of the profile in this world; a restored profile gets a new one.
    private(set) var number: UInt64
    /// The device as registrations name it, and whether it answers; nil before the first one.
    var standing: DeviceState?
    /// The key that opens the device's pushes, and the token that the app reported last.
    var pushKey: RequestKey
    var token: [UInt8] = []
    /// The names that the device had.
    private var names: UInt64 = 0
    var revoked: Set<GrantID> = []
    var answers = GivenAnswers()
    var uses = GrantUses()
    var journal: [JournalEntry] = []
    var registered: WallTime?
    /// All live shares, ended or not, in the order in which they began.
    var followings: OrderedDictionary<RequestID, Followed> = [:]

    /// The schedules that got an answer, and the schedules that the person ended.
    var schedules: OrderedDictionary<RequestID, Signed<Request>> = [:]
    var endedSchedules: Set<RequestID> = []

    /// The profile of a device's app.
    init(device: Int, app: Int) {
        let name = UInt64(truncatingIfNeeded: device) << 32 ^ UInt64(truncatingIfNeeded: app)
        self.identity = Names.sharer(device: device, app: app)
        self.number = name
        self.pushKey = ModelSealing(seed: name).makeKey(suite: SealedPush.suite)
    }

    /// The profile on a device, restored from a backup: the contents of `SharingProfile.backup`, without the parts of a single device.
    ///
    /// - Parameters:
    ///   - backup: the profile as it was.
    ///   - count: how many profiles were restored in the world, including this one.
    init(restoring backup: Home, count: UInt64) {
        self = backup
        self.number = backup.number & 0xFFFF_FFFF ^ count << 40
        self.standing = nil
        self.token = []
        self.pushKey = ModelSealing(seed: self.number).makeKey(suite: SealedPush.suite)
        self.followings = [:]
        self.schedules = [:]
        self.endedSchedules = []
    }

    /// Draws another name and another key for the device, chosen now or after others.
    mutating func makeDevice(after others: [WallTime], now: WallTime) {
        self.names += 1
        let name = self.number ^ self.names << 56
        self.standing = DeviceState(first: DeviceID(high: 0x6465_7669_6365, low: name), after: others, now: now)
        self.pushKey = ModelSealing(seed: name).makeKey(suite: SealedPush.suite)
    }

    /// The part of a registration about the device, whose name is not sealed in the model; nil before it has a name.
    func registeredDevice() throws -> RegisteredDevice? {
        guard let standing else { return nil }
        return try RegisteredDevice(
            id: standing.id,
            chosen: standing.chosen,
            pushKey: self.pushKey.publicKey,
            sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
        )
    }

    /// A live share, which the extension, the app and the person use.
    struct Followed {
        let request: Signed<Request>
        var runs: UInt32 = 0
        var end: FollowingEnd.Reason?
    }

    /// The live shares that have not ended.
    func followers(now: WallTime) -> [Signed<Request>] {
        self.followings.values.compactMap { following in
            guard following.end == nil, let end = following.request.value.followingEnd, now < end else { return nil }
            return following.request
        }
    }

    /// The profile of an app, for the machines of one process.
    final class Records: SharerRecords {
        private unowned let device: DeviceNode
        private let bundle: BundleID
        /// The requests that the process is answering; lost when it ends.
        private var claims: Set<RequestDigest> = []

        init(device: DeviceNode, bundle: BundleID) {
            self.device = device
            self.bundle = bundle
        }

        var isRemoved: Bool { self.device.profile(of: self.bundle).standing?.isRemoved ?? false }

        func isRevoked(_ grant: GrantID) -> Bool { self.device.profile(of: self.bundle).revoked.contains(grant) }

        func digest(of request: Request) -> RequestDigest { ModelNotary.digest(of: request) }

        func claim(_ request: RequestDigest) -> Bool { self.claims.insert(request).inserted }

        func leave(_ request: RequestDigest) { self.claims.remove(request) }

        func received(
            _ request: Request,
            policy: SharingPolicy,
            now: WallTime
        ) throws -> GivenAnswers.OnReceived {
            let answers = self.device.profile(of: self.bundle).answers
            return answers.received(request, self.digest(of: request), policy: policy, now: now)
        }

        func answered(
            _ request: Request,
            _ answer: [UInt8],
            saying content: Answer.Content,
            policy: SharingPolicy,
            now: WallTime
        ) throws -> GivenAnswers.OnReceived {
            var answers = self.device.profile(of: self.bundle).answers
            let action = answers.answered(request, self.digest(of: request), answer, policy: policy, now: now)
            if action == .answer {
                try self.device.journal(JournalEntry(content, to: request, at: now), of: self.bundle)
                try self.device.save(answers, of: self.bundle)
            }
            return action
        }

        func ended(_ answer: GivenAnswers.Undelivered, _ end: JournalEntry.End, now: WallTime) {
            var answers = self.device.profile(of: self.bundle).answers
            answers.delivered(answer.digest)
            // On a full disk the answer stays, and is posted again.
            try? self.device.save(answers, of: self.bundle)
            try? self.device.journal(JournalEntry(end, of: answer, at: now), of: self.bundle)
        }

        var undelivered: [GivenAnswers.Undelivered] { self.device.profile(of: self.bundle).answers.undelivered }

        func followingRefusal(of request: Request, now: WallTime) -> Refusal? {
            let others = self.device.profile(of: self.bundle).followers(now: now).count { $0.value != request }
            return others < Following.followersMax ? nil : .tooManyFollowers
        }

        func hasEnded(_ following: Request) -> Bool {
            let followers = self.device.profile(of: self.bundle).followers(now: self.device.sharingWall)
            return !followers.contains { $0.value == following }
        }

        func scheduleRefusal(of request: Request, now: WallTime) -> Refusal? {
            self.device.profile(of: self.bundle).endedSchedules.contains(request.firstID) ? .scheduleEnded : nil
        }

        func use(_ request: Request, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
            var uses = self.device.profile(of: self.bundle).uses
            let action = uses.used(by: request, self.digest(of: request), policy: policy, now: now)
            switch action {
            case .record:
                try self.device.save(uses, of: self.bundle)
                self.device.world.auditors.devices.used(request, on: self.device, self.bundle, now: now)
            case .answer, .tooSoon, .usedUp, .full: break
            }
            return action
        }
    }
}
