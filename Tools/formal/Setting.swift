internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The bounds of a world, and the rules that hold in it.
struct Setting: Sendable {
    /// A rule of the protocol that a mutation leaves out.
    enum Rule: Sendable, CaseIterable {
        /// A grant carries its sharer's signature.
        case grantsAreSigned
        /// A request carries its requester's signature.
        case requestsAreSigned
        /// An answer carries its sharer's signature.
        case answersAreSigned
        /// An answer opens under the whole request that it was sealed for, and under no other one.
        case answersAreBound
        /// A use has the digest of the signed request as its identity, rather than the request's ID.
        case usesHaveDigests
        /// A device keeps each answer on disk before the answer leaves.
        case answersAreKept
        case revocationsAreKept
        /// A device asks its sharer for approval if the grant requires it.
        case sharersAreAsked
        /// The device, not only the server, looks at the time of a request.
        case timesAreChecked
    }

    /// The times that the clock shows one after the other, in seconds from ``Names/noon``.
    var times = [0, 60]
    /// The number of requests that the friend makes.
    var requestsMax = 1
    /// The number of positions that the devices measure.
    var measurementsMax = 2
    /// The number of devices of the sharer.
    var devices = 1
    /// The number of processes that answer on one device at a time.
    var processesMax = 1
    /// Whether the adversary has a grant of its own from the sharer.
    var isAdversaryGranted = false
    /// The numbers of the IDs that the adversary draws for its own requests; it uses those of others as well.
    var adversarysIDs: [UInt64] = [0xE1]
    /// The number of different requests that the adversary hands over.
    var composedMax = 2
    /// The creation times that the adversary's requests claim.
    var adversarysTimes = [0]
    /// Whether the sharer revokes grants on the first device.
    var revokes = false
    /// Whether processes of a device die at any moment.
    var crashes = true
    /// The terms of both grants.
    var usesMax: UInt16?
    var intervalMin: UInt32 = 0
    var precision = Precision.full
    var grantSeconds = 86_400
    var asksPerson = false
    /// Whether requests begin a schedule, with an occurrence every 15 minutes for 40 minutes.
    var repeats = false
    /// The rule that is left out.
    var missing: Rule?

    func now(_ clock: Int) -> Now {
        let seconds = Duration.seconds(self.times[clock])
        return Now(monotonic: EngineInstant(sinceStart: seconds), wall: Names.noon.advanced(by: seconds))
    }

    func grant(_ number: UInt64, to requester: PublicIdentity) -> Signed<Grant> {
        let isForged = number == Names.forgedGrant
        let terms = Grant(
            id: GrantID(high: 0, low: number),
            sharer: Names.sharer,
            requester: requester,
            precision: isForged ? .full : self.precision,
            notBefore: Names.noon,
            notAfter: Names.noon.advanced(by: .seconds(isForged ? 86_400 : self.grantSeconds)),
            intervalMin: isForged ? 0 : self.intervalMin,
            usesMax: isForged ? nil : self.usesMax,
            asksPerson: self.asksPerson && self.missing != .sharersAreAsked
        )
        // Signatures are not computed: a world contains a signed message only if its signer made it.
        return Signed(value: terms, signature: [])
    }

    func request(
        _ id: RequestID,
        under grant: Signed<Grant>,
        precision: Precision? = nil,
        key: UInt8,
        issued: WallTime
    ) -> Signed<Request> {
        let request = Request(
            id: id,
            grant: grant,
            precision: precision ?? grant.value.precision,
            suite: .x25519,
            publicKey: Names.key(key),
            issued: issued,
            expires: issued.advanced(by: .seconds(120)),
            repetition: self.repeats
                ? Repetition(everyMinutes: 15, until: Names.noon.advanced(by: .seconds(40 * 60))) : nil
        )
        return Signed(value: request, signature: [])
    }
}

/// The names that the worlds share.
enum Names {
    static let noon = WallTime(milliseconds: 1_800_000_000_000)
    static let sharer = identity(3)
    static let friend = identity(4)
    /// A person with a key, who also controls the server and the network.
    static let adversary = identity(5)
    static let friendsGrant: UInt64 = 1
    static let adversarysGrant: UInt64 = 2
    static let forgedGrant: UInt64 = 9
    /// The adversary's own public key; the friend's have smaller numbers.
    static let adversarysKey: UInt8 = 0xE0

    static func key(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

    private static func identity(_ byte: UInt8) -> PublicIdentity {
        guard let identity = PublicIdentity(bytes: Array(repeating: byte, count: 32)) else {
            preconditionFailure("32 times \(byte) must be an identity")
        }
        return identity
    }

    /// The name of a person, for traces.
    static func of(_ person: PublicIdentity) -> String {
        person == self.friend ? "the friend" : person == self.sharer ? "the sharer" : "the adversary"
    }
}
