internal import Foundation
internal import WhereaboutsGeodesy
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Two people, and one signed message of each kind between them.
private struct Statements {
    let grant: Signed<Grant>
    let request: Signed<Request>
    let sharer: Identity

    init() throws {
        let sharer = try Identity(seed: Array(repeating: 7, count: 32))
        let requester = try Identity(seed: Array(repeating: 8, count: 32))
        let grant = try sharer.sign(
            Grant(
                id: GrantID(bytes: Array(0..<16)) ?? { throw Finding("an id of 16 bytes") }(),
                sharer: sharer.publicIdentity,
                requester: requester.publicIdentity,
                precision: .full,
                notBefore: WallTime(milliseconds: 1_800_000_000_000),
                notAfter: WallTime(milliseconds: 1_800_604_800_000),
                intervalMin: 60
            )
        )
        self.request = try requester.sign(
            Request(
                id: RequestID(bytes: Array(16..<32)) ?? { throw Finding("an id of 16 bytes") }(),
                grant: grant,
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 9, count: 32),
                issued: WallTime(milliseconds: 1_800_000_001_000),
                expires: WallTime(milliseconds: 1_800_000_121_000)
            )
        )
        self.grant = grant
        self.sharer = sharer
    }

    /// A grant with a value in every field.
    private func limited() throws -> Signed<Grant> {
        let first = self.grant.value
        return try self.sharer.sign(
            Grant(
                id: first.id,
                sharer: first.sharer,
                requester: first.requester,
                precision: first.precision,
                notBefore: first.notBefore,
                notAfter: first.notAfter,
                intervalMin: first.intervalMin,
                hours: ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3").flatMap {
                    DayHours(from: 540, to: 1050, zone: $0)
                },
                usesMax: 3
            )
        )
    }

    /// A request to follow, under a grant that allows it, and the messages that follow from it.
    private func followings() throws -> [[UInt8]] {
        let (first, asked, identity) = (self.grant.value, self.request.value, self.sharer.publicIdentity)
        let grant = try self.sharer.sign(
            Grant(
                id: first.id,
                sharer: first.sharer,
                requester: first.requester,
                precision: first.precision,
                notBefore: first.notBefore,
                notAfter: first.notAfter,
                intervalMin: first.intervalMin,
                followMinutesMax: 60
            )
        )
        let request = Request(
            id: asked.id,
            grant: grant,
            precision: asked.precision,
            suite: asked.suite,
            publicKey: asked.publicKey,
            issued: asked.issued,
            expires: asked.expires,
            followMinutes: 45
        )
        let end = FollowingEnd(request: asked.id, author: identity, time: WallTime(milliseconds: 1), reason: .bySharer)
        let update = SealedUpdate(request: asked.id, sharer: identity, sealed: Array(repeating: 5, count: 176))
        return [
            grant.bytes, Signed(value: request, signature: Array(repeating: 1, count: 64)).bytes,
            try self.sharer.sign(end).bytes, try self.sharer.sign(update).bytes,
        ]
    }

    /// The messages that volunteers and dispatchers sign.
    private func dispatches() throws -> [[UInt8]] {
        let (identity, cell) = (self.sharer.publicIdentity, Grid.Cell(row: 10_000, column: 5000))
        let time = WallTime(milliseconds: 1)
        let enrolment = Enrolment(
            person: identity,
            issued: time,
            cells: [cell],
            hours: try self.limited().value.hours,
            skills: [.cpr, .aed],
            reach: 2000
        )
        let incident = Incident(
            id: IncidentID(high: 1, low: 2),
            cell: cell,
            priority: .arrest,
            responders: 2,
            needsAED: true,
            signed: time
        )
        let alert = SealedAlert(
            alert: AlertID(high: 1, low: 2),
            incident: IncidentID(high: 1, low: 2),
            dispatcher: identity,
            role: .patient,
            sealed: Array(repeating: 5, count: 60)
        )
        guard let enrolment, let incident, let alert else { throw Finding("an enrolment and an incident") }
        let key = [UInt8](repeating: 9, count: 32)
        let opening = IncidentOpening(incident: incident, dispatcher: identity, suite: .x25519, publicKey: key)
        let closing = IncidentClosing(incident: incident.id, dispatcher: identity, reason: .falseAlarm)
        let replies = [Responder.Answer.band(.within6), .accepted(sealed: [1, 2, 3])].map {
            ResponderReply(alert: AlertID(high: 1, low: 2), person: identity, number: 1, answer: $0)
        }
        return try [
            self.sharer.sign(enrolment).bytes, self.sharer.sign(Departure(person: identity, issued: time)).bytes,
            self.sharer.sign(opening).bytes, self.sharer.sign(closing).bytes,
            self.sharer.sign(alert).bytes, self.sharer.sign(IncidentsPermit(dispatcher: identity)).bytes,
        ] + replies.map { try self.sharer.sign($0).bytes }
    }

    /// One signed message of each kind.
    func all() throws -> [[UInt8]] {
        let identity = self.sharer.publicIdentity
        let id = self.request.value.id
        return try self.followings() + self.dispatches() + [
            self.grant.bytes, self.request.bytes, try self.limited().bytes,
            try self.sharer.sign(Revocation(of: self.grant.value)).bytes,
            try self.sharer.sign(
                LinkedGrant(
                    address: LinkAddress(high: 1, low: 2),
                    sharer: identity,
                    grant: self.grant.value.id,
                    notAfter: WallTime(milliseconds: 2),
                    sealed: Array(repeating: 5, count: LinkedGrant.sealedByteCount)
                )
            ).bytes,
            try self.sharer.sign(
                Registration(
                    sharer: identity,
                    token: [1, 2, 3],
                    topic: "com.example.Friends",
                    issued: WallTime(milliseconds: 2),
                    device: RegisteredDevice(
                        id: DeviceID(high: 1, low: 2),
                        chosen: WallTime(milliseconds: 1),
                        pushKey: Array(repeating: 9, count: RegisteredDevice.pushKeyByteCount),
                        sealedName: Array(repeating: 5, count: RegisteredDevice.sealedNameByteCount)
                    )
                )
            ).bytes,
            try self.sharer.sign(DeviceRemoval(device: DeviceID(high: 1, low: 2), sharer: identity)).bytes,
            try self.sharer.sign(DevicesPermit(sharer: identity)).bytes,
            try self.sharer.sign(DeviceReport(request: id, sharer: identity, progress: .locating)).bytes,
            try self.sharer.sign(SealedAnswer(request: id, sharer: identity, sealed: Array(repeating: 5, count: 300)))
                .bytes,
            try self.sharer.sign(
                Invitation(
                    requester: identity,
                    issued: WallTime(milliseconds: 1),
                    expires: WallTime(milliseconds: 2),
                    server: "https://localhost:8443",
                    trustRoots: [[1, 2, 3]],
                    name: "Bob",
                    offersGrant: true,
                    group: GroupOffer(
                        id: GroupID(high: 1, low: 2),
                        founder: identity,
                        name: "family",
                        precision: .full,
                        notAfter: WallTime(milliseconds: 3)
                    )
                )
            ).bytes,
            try self.sharer.sign(
                GroupRoster(
                    group: GroupID(high: 1, low: 2),
                    founder: identity,
                    number: 1,
                    seed: Array(repeating: 5, count: GroupOffer.secretByteCount),
                    members: [GroupRoster.Member(person: identity, name: "Bob")]
                )
            ).bytes,
            try self.sharer.sign(
                KeySuccession(
                    old: identity,
                    new: self.grant.value.requester,
                    issued: WallTime(milliseconds: 1)
                )
            ).bytes,
        ]
    }
}

struct StatementTarget: FuzzTarget {
    var seeds: [[UInt8]] { (try? Statements().all()) ?? [] }

    func check(_ input: [UInt8]) throws -> Bool {
        let accepted = [
            try self.check(input, Grant.self), try self.check(input, Request.self),
            try self.check(input, Revocation.self), try self.check(input, LinkedGrant.self),
            try self.check(input, Registration.self),
            try self.check(input, DeviceReport.self), try self.check(input, SealedAnswer.self),
            try self.check(input, ReadPermit.self), try self.check(input, Invitation.self),
            try self.check(input, SealedUpdate.self), try self.check(input, FollowingEnd.self),
            try self.check(input, DeviceRemoval.self), try self.check(input, DevicesPermit.self),
            try self.check(input, KeySuccession.self), try self.check(input, GroupRoster.self),
            try self.check(input, Enrolment.self), try self.check(input, Departure.self),
            try self.check(input, IncidentOpening.self), try self.check(input, IncidentClosing.self),
            try self.check(input, ResponderReply.self), try self.check(input, SealedAlert.self),
            try self.check(input, IncidentsPermit.self),
        ]
        return accepted.contains(true)
    }

    private func check<Value: Signable>(_ input: [UInt8], _ type: Value.Type) throws -> Bool {
        guard let signed = try? Signed<Value>(bytes: input) else { return false }
        try Finding.unless(signed.bytes == input, "a statement that has two forms")
        _ = try? signed.verified()
        // A valid signature does not make the values plausible: the key's owner can sign any. The decision must not
        // crash on them.
        if let request = signed as? Signed<Request> { Self.decide(request) }
        return true
    }

    private static func decide(_ request: Signed<Request>) {
        for milliseconds in [Int64.min, 0, 1_800_000_001_000, .max] {
            let now = WallTime(milliseconds: milliseconds)
            let precedents = PriorRecords(
                isReplayed: false,
                isRevoked: false,
                device: .registered,
                paidUntil: now,
                load: RequestLoad(kept: 0, pending: 0, pendingUnderGrant: 0, otherGrantsInUse: 0)
            )
            _ = request.value.followingFault(isRevoked: false, now: now)
            _ = RequestLife.requestVerified(
                Verified(request),
                precedents: precedents,
                policy: SharingPolicy(),
                now: now
            )
        }
    }
}

struct AnswerTarget: FuzzTarget {
    var seeds: [[UInt8]] {
        let timings = DeviceTimings(started: .milliseconds(12), fix: .milliseconds(345), sealed: .milliseconds(346))
        let fix = try? SharedFix(
            latitude: 52.5200066,
            longitude: -13.404954,
            horizontalAccuracy: 4.5,
            time: WallTime(milliseconds: 1_800_000_002_345),
            altitude: 34.25,
            course: 271.5,
            speed: 1.25
        )
        let contents: [Answer.Content] =
            [.refusal(.notConsented), .unavailable("no sky")] + [fix].compactMap { $0 }.map { .fix($0) }
        return contents.map { Answer(content: $0, timings: timings).paddedBytes }
    }

    /// The size of every answer.
    func mended(_ input: [UInt8]) -> [UInt8] {
        Array((input + [UInt8](repeating: 0, count: Answer.paddedByteCount)).prefix(Answer.paddedByteCount))
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard let answer = try? Answer(paddedBytes: input) else { return false }
        try Finding.unless(answer.paddedBytes == input, "an answer that has two forms")
        if case .fix(let fix) = answer.content { _ = try fix.reduced() }
        return true
    }
}

struct TextTarget: FuzzTarget {
    var seeds: [[UInt8]] {
        guard let statements = try? Statements() else { return [] }
        return [
            statements.sharer.publicIdentity.text, Base64URL.text(of: statements.grant.bytes),
            #"{"aps":{},"whereabouts":{"sealed":"AAECAwQFBgcICQ"}}"#,
        ].map { Array($0.utf8) }
    }
    var words: [[UInt8]] { ["id-v1.", "{", "}", "[", "\"", "=", "==", "-", "_", "\\u0000"].map { Array($0.utf8) } }

    func check(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        var accepted = false
        if let identity = try? PublicIdentity(text: text) {
            try Finding.unless(identity.text == text, "an identity that has two texts")
            accepted = true
        }
        if let bytes = Base64URL.bytes(of: text) {
            try Finding.unless(Base64URL.text(of: bytes) == text, "bytes that have two texts")
            accepted = true
        }
        if let payload = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any],
            (try? PushPayload.sealed(in: payload)) != nil
        {
            accepted = true
        }
        return accepted
    }
}

struct ServerReplyTarget: FuzzTarget {
    var seeds: [[UInt8]] {
        [
            #"{"id":"101112131415161718191a1b1c1d1e1f"}"#, #"{"error":"It is too soon.","until":1800000001000}"#,
            #"{"kind":"answered","at":1800000001000,"reason":"The device answered.","answer":"AAEC"}"#,
            #"{"state":"answered","pending":["AAEC",""]}"#,
        ].map { Array($0.utf8) }
    }
    var words: [[UInt8]] {
        ["{", "}", "[", "]", "\"", ":", ",", "null", "true", "\\u0000", "\\uD800", "\"at\":", "\"until\":"].map {
            Array($0.utf8)
        }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        let data = Data(input)
        let accepted = [
            try self.check(data, Wire.Accepted.self), try self.check(data, Wire.Rejected.self),
            try self.check(data, Wire.Delivery.self), try self.check(data, Wire.State.self),
        ]
        if let state = try? JSONDecoder().decode(Wire.State.self, from: data) {
            _ = state.state
            _ = state.answer.flatMap { Base64URL.bytes(of: $0) }
        }
        return accepted.contains(true)
    }

    private func check<Value: Codable>(_ data: Data, _ type: Value.Type) throws -> Bool {
        guard let value = try? JSONDecoder().decode(type, from: data) else { return false }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let written = try encoder.encode(value)
        let again = try JSONDecoder().decode(type, from: written)
        try Finding.unless(try encoder.encode(again) == written, "a reply that changes when written")
        return true
    }
}
