public import WhereaboutsVocabulary

/// The rule that a request broke.
///
/// The device sends the rule to the requester inside a sealed answer. The server tells a requester only ``unknownDevice``,
/// because a valid grant proves that the sharer knows them. Any other reason would tell strangers which sharers exist and
/// which grants were revoked.
public enum Refusal: UInt8, Error, Sendable, Hashable, CaseIterable {
    /// The sharer revoked the grant.
    case revoked = 1
    /// The grant is not valid yet.
    case notYetValid = 2
    /// The grant has expired.
    case grantExpired = 3
    /// The grant ends too far ahead.
    case grantTooLong = 4
    /// The grant does not allow this hour.
    case outsideHours = 5
    /// The grant has no uses left.
    case usedUp = 6
    /// The sharer did not approve the request.
    case notConsented = 7
    /// The request asks for more than the grant allows.
    case precisionNotGranted = 8
    /// The grant does not allow live shares.
    case followingNotGranted = 9
    /// The request wants to follow for longer than the grant allows.
    case followingTooLong = 10
    /// No app of the sharer takes over a live share from its extension.
    case cannotBeFollowed = 11
    /// The sharer has the maximum number of followers.
    case tooManyFollowers = 12
    /// The grant asks the sharer each time, which a schedule must not do.
    case repetitionAsksPerson = 13
    /// The schedule's interval is shorter than the minimum of all schedules, or than the grant's interval.
    case repetitionTooOften = 14
    /// The schedule lasts too long.
    case repetitionTooLong = 15
    /// The schedule has no such occurrence.
    case repetitionOver = 16
    /// The sharer ended the schedule.
    case scheduleEnded = 17
    /// The sharer has the maximum number of schedules.
    case tooManySchedules = 18
    /// The request's own time has passed.
    case requestExpired = 19
    /// The request was issued in the future, or after its own expiry.
    case issuedInTheFuture = 20
    /// The time from issue to expiry is longer than allowed.
    case lifetimeTooLong = 21
    /// The grant's least interval is not over.
    case tooSoon = 22
    /// The request was seen before.
    case replayed = 23
    /// The sharer never registered a device.
    case unknownDevice = 24

    /// The rule as a word for programs, which stays the same when the sentence changes.
    public var code: String { "\(self)" }

    /// The rule as a sentence for a person.
    public var reason: String {
        switch self {
        case .revoked: "The grant was revoked; ask for a new one."
        case .notYetValid: "The grant is not valid yet; ask again when it begins."
        case .grantExpired: "The grant has expired; ask for a new one."
        case .grantTooLong: "The grant lasts longer than ten years; ask for a shorter one."
        case .outsideHours: "The grant allows no requests at this hour of the sharer's day; ask within its hours."
        case .usedUp: "The grant was used as often as it allows; ask for a new one."
        case .notConsented: "The sharer was asked and did not say yes; ask again another time."
        case .precisionNotGranted: "The grant allows only reduced precision; ask for that."
        case .followingNotGranted: "The grant allows only single answers; ask for one, or for another grant."
        case .followingTooLong: "The grant allows only shorter live shares; ask for less time."
        case .cannotBeFollowed: "The sharer's app cannot be followed on this device; ask for a single answer."
        case .tooManyFollowers: "The maximum number of people already follow the sharer; ask again later."
        case .repetitionAsksPerson:
            "The sharer confirms each request under this grant, so no schedule can use it; ask without a schedule."
        case .repetitionTooOften:
            "The schedule asks too often; ask every 15 minutes at most, and no faster than the grant allows."
        case .repetitionTooLong: "The schedule lasts longer than 31 days; ask for less."
        case .repetitionOver: "The schedule is over; ask for a new one."
        case .scheduleEnded: "The sharer ended the schedule; ask without a schedule."
        case .tooManySchedules: "The maximum number of schedules already ask the sharer; ask without a schedule."
        case .requestExpired: "The request has expired; ask again, and check the clock."
        case .issuedInTheFuture: "The request's issue time is in the future; check the clock."
        case .lifetimeTooLong: "The request would expire too late; ask with an earlier expiry."
        case .tooSoon: "The grant allows the next answer only later; wait for its interval."
        case .replayed: "The request was seen before; make a new one."
        case .unknownDevice:
            "Their device has not registered with this server yet; ask them to open the app that shares their location and to "
                + "allow it Always. It then registers by itself, and again within 15 minutes if the server lost its database."
        }
    }
}

extension Refusal {
    /// The step to which refusals are delayed.
    ///
    /// Source: our choice; ten times what the slowest check takes, and a refusal is not urgent.
    private static let step: Duration = .milliseconds(50)

    /// Returns when to send a refusal, given the time that deciding it took: at the next step, so that its time does not
    /// reveal the rule.
    package static func moment(after elapsed: Duration) -> Duration {
        let steps = (elapsed / self.step).rounded(.up)
        return self.step * max(1, Int(steps))
    }
}

extension Request {
    /// Checks a request against its grant: on the server before any push, on the device before any answer.
    ///
    /// - Returns: the first rule that the request breaks, or nil.
    public func refusal(isRevoked: Bool, policy: SharingPolicy, now: WallTime) -> Refusal? {
        let grant = self.grant.value
        if isRevoked { return .revoked }
        if now < grant.notBefore { return .notYetValid }
        if now >= grant.notAfter { return .grantExpired }
        if grant.notAfter > policy.grantEndMax(now: now) { return .grantTooLong }
        if let hours = grant.hours, !hours.contains(now) { return .outsideHours }
        if self.precision > grant.precision { return .precisionNotGranted }
        if let minutes = self.followMinutes {
            guard let minutesMax = grant.followMinutesMax else { return .followingNotGranted }
            if minutes > minutesMax { return .followingTooLong }
        }
        if let refusal = self.repetitionRefusal { return refusal }
        if now >= self.expires { return .requestExpired }
        if self.issued > now.advanced(by: policy.clockSkewMax) || self.issued > self.expires {
            return .issuedInTheFuture
        }
        if self.issued.duration(to: self.expires) > policy.lifetimeMax { return .lifetimeTooLong }
        return nil
    }
}
