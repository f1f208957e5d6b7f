internal import Crypto
internal import Foundation
internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// The messages of volunteers and dispatchers.
struct DispatchStatementTests {
    let pair: Pair
    let time = WallTime(milliseconds: 1_800_000_000_001)

    init() throws { self.pair = try Pair() }

    private func enrolment(hours: DayHours? = Pair.hours) throws -> Enrolment {
        try #require(
            Enrolment(
                person: self.pair.sharer.publicIdentity,
                issued: self.time,
                cells: [Grid.Cell(row: 15_834, column: 20_905), Grid.Cell(row: 19_999, column: 0)],
                hours: hours,
                skills: [.cpr, .aed],
                reach: 2000
            )
        )
    }

    private func opening(suite: Suite = .x25519, key: [UInt8]? = nil) throws -> IncidentOpening {
        let incident = try #require(
            Incident(
                id: IncidentID(high: 1, low: 2),
                cell: Grid.Cell(row: 15_834, column: 20_905),
                priority: .danger,
                responders: 2,
                needsAED: true,
                signed: self.time
            )
        )
        return IncidentOpening(
            incident: incident,
            dispatcher: self.pair.requester.publicIdentity,
            suite: suite,
            publicKey: key ?? Array(repeating: 9, count: suite.publicKeyByteCount)
        )
    }

    private func alert(sealed: Int = 304) throws -> SealedAlert {
        try #require(
            SealedAlert(
                alert: AlertID(high: 3, low: 4),
                incident: IncidentID(high: 1, low: 2),
                dispatcher: self.pair.requester.publicIdentity,
                role: .defibrillator,
                sealed: Array(repeating: 5, count: sealed)
            )
        )
    }

    private var permit: IncidentsPermit { IncidentsPermit(dispatcher: self.pair.requester.publicIdentity) }

    private var closing: IncidentClosing {
        IncidentClosing(
            incident: IncidentID(high: 1, low: 2),
            dispatcher: self.pair.requester.publicIdentity,
            reason: .falseAlarm
        )
    }

    private func reply(_ answer: Responder.Answer) -> ResponderReply {
        ResponderReply(
            alert: AlertID(high: 3, low: 4),
            person: self.pair.sharer.publicIdentity,
            number: 7,
            answer: answer
        )
    }

    private static let answers: [Responder.Answer] =
        Responder.Band.allCases.map { .band($0) } + [
            .outOfRange, .refused, .accepted(sealed: [1, 2]), .enRoute(sealed: []), .arrived, .withdrawn,
        ]

    /// Goal: a message has one form, and nobody can change it on the way.
    ///
    /// Method: read what was written, then change each byte, leave out the last ones, and add one.
    private func check<Value: Signable>(_ value: Value, by author: Identity) throws {
        let signed = try author.sign(value)
        let bytes = signed.bytes
        #expect(try Signed<Value>(bytes: bytes).verified().value == value)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: SharingError.self, "byte \(index)") { try Signed<Value>(bytes: changed).verified() }
        }
        for count in 0..<bytes.count {
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Value>(bytes: Array(bytes.prefix(count))) }
        }
        #expect(throws: SharingError(.badBytes, "")) { try Signed<Value>(bytes: bytes + [0]) }
    }

    @Test func everyByteCounts() throws {
        try self.check(self.enrolment(), by: self.pair.sharer)
        try self.check(self.enrolment(hours: nil), by: self.pair.sharer)
        try self.check(Departure(person: self.pair.sharer.publicIdentity, issued: self.time), by: self.pair.sharer)
        try self.check(self.opening(), by: self.pair.requester)
        try self.check(self.closing, by: self.pair.requester)
        try self.check(self.alert(), by: self.pair.requester)
        try self.check(self.permit, by: self.pair.requester)
        for answer in Self.answers { try self.check(self.reply(answer), by: self.pair.sharer) }
    }

    /// Goal: a row that was stored is read again, in every state, and no other bytes are a row.
    @Test func everyRowHasOneForm() throws {
        let (sharer, requester) = (self.pair.sharer, self.pair.requester)
        let departure = Departure(person: sharer.publicIdentity, issued: self.time)
        var rows: [ResponderRow] = [
            .enrolled(try sharer.sign(self.enrolment())), .left(try sharer.sign(departure), keptUntil: self.time),
        ]
        for end in [nil, IncidentEnd.stoodDown, .cancelled, .expired, .displaced] {
            let opening = try requester.sign(self.opening())
            rows.append(.opened(.init(opening: opening, opened: self.time, end: end, keptUntil: self.time)))
            var audit = IncidentAudit(
                incident: opening.value.incident.id,
                dispatcher: requester.publicIdentity,
                priority: .danger,
                responders: 2,
                needsAED: true,
                opened: self.time
            )
            rows.append(.audited(audit))
            audit.woken = [7, 0, 93]
            (audit.acceptedCount, audit.arrivedCount) = (3, 2)
            (audit.declinedCount, audit.undeliveredCount) = (60, 300)
            (audit.end, audit.changed) = (end, self.time.advanced(by: .seconds(1)))
            rows.append(.audited(audit))
        }
        var alert = ResponderRow.Alert(
            alert: try requester.sign(self.alert()),
            person: sharer.publicIdentity,
            key: [1, 2],
            woken: self.time,
            keptUntil: self.time
        )
        let states: [Responder.State] =
            [.chosen, .alerted, .silent, .accepted, .enRoute, .arrived] + Responder.Band.allCases.map { .band($0) }
        for state in states {
            alert.state = state
            rows.append(.alert(alert))
        }
        alert.position = []
        alert.isRevealed = true
        alert.end = Responder.End.enough
        alert.isUntold = true
        alert.newest = 7
        rows.append(.alert(alert))
        for row in rows {
            #expect(try ResponderRow(bytes: row.bytes) == row)
            #expect(throws: SharingError.self) { try ResponderRow(bytes: row.bytes + [0]) }
            #expect(throws: SharingError.self) { try ResponderRow(bytes: row.bytes.dropLast()) }
        }
        #expect(throws: SharingError.self) { try ResponderRow(bytes: [6]) }
    }

    @Test func aForgedMessageDoesNotVerify() throws {
        let (sharer, requester) = (self.pair.sharer, self.pair.requester)
        let bad = SharingError(.badSignature, "")
        #expect(throws: bad) { try requester.sign(self.enrolment()).verified() }
        #expect(throws: bad) {
            try requester.sign(Departure(person: sharer.publicIdentity, issued: self.time)).verified()
        }
        #expect(throws: bad) { try sharer.sign(self.opening()).verified() }
        #expect(throws: bad) { try sharer.sign(self.closing).verified() }
        #expect(throws: bad) { try sharer.sign(self.alert()).verified() }
        #expect(throws: bad) { try sharer.sign(self.permit).verified() }
        #expect(throws: bad) { try requester.sign(self.reply(.arrived)).verified() }
    }

    @Test func anIncidentNeedsAKeyThatPositionsCanBeSealedTo() throws {
        for (suite, byte) in [(Suite.x25519, 0 as UInt8), (.xWing, 255)] {
            let key = [UInt8](repeating: byte, count: suite.publicKeyByteCount)
            let signed = try self.pair.requester.sign(self.opening(suite: suite, key: key))
            #expect(throws: SharingError.self) { try signed.verified() }
        }
    }

    /// Goal: a message whose values no volunteer and no incident may have is malformed, although its author signed it.
    ///
    /// Method: change one field of the bytes to a value out of range.
    @Test func valuesOutOfRangeAreMalformed() throws {
        func rejects<Value: Signable>(_ value: Value, _ changes: [(Int, [UInt8])]) throws {
            #expect(try Signed<Value>(bytes: value.bytes + Array(repeating: 0, count: 64)).value == value)
            for (offset, field) in changes {
                var bytes = value.bytes + Array(repeating: 0, count: 64)
                bytes.replaceSubrange(offset..<offset + field.count, with: field)
                #expect(throws: SharingError(.badBytes, ""), "\(Value.domain) \(offset)") {
                    try Signed<Value>(bytes: bytes)
                }
            }
        }
        // Skills, reach, number of cells, row, and the second cell like the first one.
        try rejects(
            self.enrolment(hours: nil),
            [
                (40, [0]), (40, [7]), (41, [0, 0]), (41, [0x1B, 0x59]), (43, [0]), (43, [9]), (44, [0x4E, 0x20]),
                (48, [0x3D, 0xDA, 0x51, 0xA9]), (52, [2]),
            ]
        )
        // Row, column, priority, number of responders, defibrillator, suite.
        try rejects(
            self.opening(),
            [(56, [0x4E, 0x20]), (58, [0xFF, 0xFF]), (60, [3]), (61, [0]), (61, [11]), (62, [2]), (63, [9])]
        )
        // Role, and a sealed position that is one byte too long.
        try rejects(self.alert(sealed: 512), [(64, [0]), (64, [3]), (65, [2, 1])])
        try rejects(self.closing, [(48, [0]), (48, [3])])
        try rejects(self.reply(.band(.within3)), [(52, [0]), (52, [8]), (53, [4])])
    }
}
