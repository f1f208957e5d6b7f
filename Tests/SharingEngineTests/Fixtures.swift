internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

let noon = WallTime(milliseconds: 1_800_000_000_000)

func after(_ seconds: Int) -> WallTime { noon.advanced(by: .seconds(seconds)) }

func identity(_ byte: UInt8) throws -> PublicIdentity {
    try PublicIdentity(bytes: Array(repeating: byte, count: 32)) ?? { throw FixtureError() }()
}

struct FixtureError: Error {}

/// A value with a verified signature.
func verified<Value>(_ value: Value) -> Verified<Value> { Verified(Signed(value: value, signature: [])) }

/// The registration of a device of `identity(3)`: number `number`, with a key of that byte.
func makeRegistration(
    _ number: UInt8 = 0,
    token: [UInt8] = [1],
    chosen: WallTime = noon,
    topic: String = "a",
    issued: WallTime = noon
) throws -> Verified<Registration> {
    let device = try RegisteredDevice(
        id: DeviceID(high: 0, low: UInt64(number)),
        chosen: chosen,
        pushKey: Array(repeating: number, count: RegisteredDevice.pushKeyByteCount),
        sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
    )
    let value = try Registration(
        sharer: identity(3),
        token: token,
        topic: topic,
        issued: issued,
        device: device
    )
    return Verified(Signed(value: value, signature: []))
}

/// A grant valid from noon for an hour, and a request under it that lives for two minutes.
func makeRequest(
    _ id: UInt8 = 2,
    under grant: UInt8 = 1,
    precision: Precision = .full,
    granted: Precision = .full,
    interval: UInt32 = 0,
    issued: WallTime = noon,
    expires: WallTime = after(120),
    until end: WallTime = after(3600),
    hours: DayHours? = nil,
    usesMax: UInt16? = nil,
    asksPerson: Bool = false,
    followMinutesMax: UInt16? = nil,
    followMinutes: UInt16? = nil,
    repetition: Repetition? = nil
) throws -> Verified<Request> {
    guard let grantID = GrantID(bytes: Array(repeating: grant, count: 16)),
        let requestID = RequestID(bytes: Array(repeating: id, count: 16))
    else { throw FixtureError() }
    let grant = Grant(
        id: grantID,
        sharer: try identity(3),
        requester: try identity(4),
        precision: granted,
        notBefore: noon,
        notAfter: end,
        intervalMin: interval,
        hours: hours,
        usesMax: usesMax,
        asksPerson: asksPerson,
        followMinutesMax: followMinutesMax
    )
    let request = Request(
        id: requestID,
        grant: Signed(value: grant, signature: []),
        precision: precision,
        suite: .x25519,
        publicKey: [],
        issued: issued,
        expires: expires,
        followMinutes: followMinutes,
        repetition: repetition
    )
    return Verified(Signed(value: request, signature: []))
}

func precedents(
    isReplayed: Bool = false,
    isRevoked: Bool = false,
    device: PriorRecords.Device = .registered,
    paidUntil: WallTime? = nil,
    pushesPaidUntil: WallTime? = nil,
    wake: Wake? = nil,
    kept: Int = 0,
    pending: Int = 0,
    pendingUnderGrant: Int = 0,
    otherGrantsInUse: Int = 0
) -> PriorRecords {
    PriorRecords(
        isReplayed: isReplayed,
        isRevoked: isRevoked,
        device: device,
        paidUntil: paidUntil,
        pushesPaidUntil: pushesPaidUntil,
        wake: wake,
        load: RequestLoad(
            kept: kept,
            pending: pending,
            pendingUnderGrant: pendingUnderGrant,
            otherGrantsInUse: otherGrantsInUse
        )
    )
}

/// Hours from one minute of the day to before another, where the clock shows UTC.
func hoursInUTC(_ begin: UInt16, _ end: UInt16) throws -> DayHours {
    guard let zone = ZoneRule(offset: 0), let hours = DayHours(from: begin, to: end, zone: zone) else {
        throw FixtureError()
    }
    return hours
}

/// A request that the server accepted at noon.
func acceptedLife() throws -> RequestLife {
    let decision = RequestLife.requestVerified(
        try makeRequest(),
        precedents: precedents(),
        policy: SharingPolicy(),
        now: noon
    )
    guard case .accept(let life, _, _) = decision else { throw FixtureError() }
    return life
}

/// A request that the server accepted at noon, and that may wait for another request's push until 20 s later.
func waitingLife() throws -> RequestLife {
    let decision = RequestLife.requestVerified(
        try makeRequest(),
        precedents: precedents(wake: Wake(end: after(20), isTaken: false)),
        policy: SharingPolicy(),
        now: noon
    )
    guard case .accept(let life, let payment, let effects) = decision, payment.pushes == nil,
        !effects.contains(.sendPush)
    else { throw FixtureError() }
    return life
}

/// A digest that differs for requests of different IDs and times, in place of SHA-256.
func digest(of request: Request) throws -> RequestDigest {
    let time = UInt64(bitPattern: request.issued.milliseconds)
    return try RequestDigest(bytes: request.id.bytes + RequestID(high: time, low: UInt64(request.occurrence)).bytes)
        ?? { throw FixtureError() }()
}
