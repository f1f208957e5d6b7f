internal import Crypto
internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

struct StatementTests {
    let pair: Pair

    init() throws {
        self.pair = try Pair()
    }

    private func request() throws -> Signed<Request> {
        try self.pair.request(suite: .xWing, publicKey: Array(repeating: 9, count: 1216))
    }

    @Test func statementsSurviveTheirBytes() throws {
        let request = try self.request()
        #expect(try Signed<Request>(bytes: request.bytes) == request)
        #expect(try request.verified().value == request.value)
        let grant = try self.pair.grant()
        #expect(try Signed<Grant>(text: "  \(grant.text)\n") == grant)
        let revocation = try self.pair.sharer.sign(Revocation(of: grant.value))
        #expect(try Signed<Revocation>(bytes: revocation.bytes).verified().value.grant == grant.value.id)
    }

    /// Goal: a request cannot be changed in transit.
    ///
    /// Method: change every byte, one after the other.
    @Test func everyByteCounts() throws {
        let bytes = try self.request().bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: SharingError.self, "byte \(index)") { try Signed<Request>(bytes: changed).verified() }
        }
        for count in 0..<bytes.count {
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Request>(bytes: Array(bytes.prefix(count))) }
        }
        #expect(throws: SharingError(.badBytes, "")) { try Signed<Request>(bytes: bytes + [0]) }
    }

    @Test func grantsOfEachFormAreRead() throws {
        var generator = SystemRandomNumberGenerator()
        #expect(try self.pair.grant().bytes.count == 165)
        for grant in [
            try self.pair.grant(), try self.pair.grant(hours: Pair.hours), try self.pair.grant(usesMax: 3),
            try self.pair.grant(precision: .reduced, hours: Pair.hours, usesMax: 65_535),
            try self.pair.grant(asksPerson: true), try self.pair.grant(followMinutesMax: 1440),
            try self.pair.grant(hours: Pair.hours, usesMax: 3, asksPerson: true, followMinutesMax: 1),
        ] {
            #expect(grant.text.hasPrefix("grant-v1."))
            #expect(try Signed<Grant>(text: grant.text) == grant)
            #expect(throws: SharingError(.badText, "")) {
                try Signed<Grant>(text: grant.text.replacing("grant-v1.", with: "grant-v2."))
            }
            let request = try self.pair.requester.sign(
                Request(
                    under: grant,
                    precision: .reduced,
                    suite: .xWing,
                    publicKey: Array(repeating: 9, count: 1216),
                    using: &generator,
                    now: WallTime(milliseconds: 0)
                )
            )
            #expect(try Signed<Request>(bytes: request.bytes).value.grant == grant)
        }
    }

    @Test func everyByteOfAGrantWithLimitsCounts() throws {
        let bytes = try self.pair.grant(hours: Pair.hours, usesMax: 3, followMinutesMax: 60).bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: SharingError.self, "byte \(index)") { try Signed<Grant>(bytes: changed).verified() }
            }
        }
        for count in 0..<bytes.count {
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Grant>(bytes: Array(bytes.prefix(count))) }
        }
        // Unknown bits of the form.
        for form in 32...255 {
            var changed = bytes
            changed[80] = UInt8(form)
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Grant>(bytes: changed) }
        }
    }

    /// Goal: a signed message of one kind is not accepted as another.
    ///
    /// Method: the right fields, signed by the right key, with the right domain, another one, and none.
    @Test func domainsAreSeparate() throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Array(repeating: 8, count: 32))
        let permit = ReadPermit(request: try self.request().value.id, requester: self.pair.requester.publicIdentity)
        func verifies(_ signed: String) throws -> Bool {
            let signature = try key.signature(for: Data(signed.utf8) + permit.bytes)
            return (try? Signed(value: permit, signature: [UInt8](signature)).verified()) != nil
        }
        #expect(try verifies("whereabouts/read/v1\0"))
        #expect(try !verifies("whereabouts/progress/v1\0"))
        #expect(try !verifies("whereabouts/read/v2\0"))
        #expect(try !verifies(""))
        let domains = [
            Grant.domain, Revocation.domain, Request.domain, Registration.domain, DeviceReport.domain,
            SealedAnswer.domain, ReadPermit.domain, Invitation.domain, JournalLine.domain, SealedUpdate.domain,
            FollowingEnd.domain, DeviceRemoval.domain, DevicesPermit.domain, GroupRoster.domain,
            Enrolment.domain, Departure.domain, IncidentOpening.domain, IncidentClosing.domain, ResponderReply.domain,
            SealedAlert.domain, IncidentsPermit.domain,
        ]
        #expect(Set(domains).count == domains.count)
    }

    @Test func requestOfAnotherRequesterDoesNotVerify() throws {
        let stranger = try Identity(seed: Array(repeating: 1, count: 32))
        let forged = try stranger.sign(self.request().value)
        #expect(throws: SharingError(.badSignature, "")) { try forged.verified() }
    }

    @Test func requestWithAForgedGrantDoesNotVerify() throws {
        let real = try self.request().value
        let forged = Signed(value: real.grant.value, signature: Array(repeating: 0, count: 64))
        let request = Request(
            id: real.id,
            grant: forged,
            precision: real.precision,
            suite: real.suite,
            publicKey: real.publicKey,
            issued: real.issued,
            expires: real.expires
        )
        #expect(throws: SharingError(.badSignature, "")) { try self.pair.requester.sign(request).verified() }
    }

    @Test(arguments: ["", "grant-v1.", "grant-v1.AAAA", "grant-v1.AAA=", "grant-v1.AA AA", "hello"])
    func textThatIsNoGrant(text: String) {
        #expect(throws: SharingError.self) { try Signed<Grant>(text: text) }
    }

    /// Goal: the error says that the line is incomplete.
    @Test func aLineThatWasCutIsIncomplete() throws {
        let (grant, invitation) = (try self.pair.grant().text, try self.pair.invitation().text)
        for cut in 1...9 {
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Grant>(text: String(grant.dropLast(cut))) }
            #expect(throws: SharingError(.badBytes, "")) {
                try Signed<Invitation>(text: String(invitation.dropLast(cut)))
            }
        }
    }

    @Test func registrationHasBounds() throws {
        _ = try self.pair.registration(token: Array(repeating: 0, count: 100))
        #expect(throws: SharingError(.badBytes, "")) {
            try self.pair.registration(token: Array(repeating: 0, count: 101))
        }
        #expect(throws: SharingError(.badBytes, "")) { try self.pair.registration(topic: "") }
        #expect(throws: SharingError(.badBytes, "")) {
            try self.pair.registration(topic: String(repeating: "a", count: 156))
        }
    }

    /// Goal: a topic cannot contain characters that are special in a header, a database or a terminal.
    @Test(arguments: ["a\r\nb", "a\nb", "a\0b", "a b", "ä", "a\u{7F}", "a/b", "a\u{1B}[2J", "a\u{202E}b", "\u{FEFF}a"])
    func topicIsABundleIdentifier(topic: String) throws {
        #expect(throws: SharingError(.badBytes, "")) { try self.pair.registration(topic: topic) }
        // As a stranger sends it, who needs none of our initialisers.
        let good = try self.pair.sharer.sign(self.pair.registration(topic: "a")).bytes
        var writer = ByteWriter()
        writer.fixed(good.dropLast(64 + 3))
        writer.counted(Array(topic.utf8))
        writer.fixed(good.suffix(64))
        #expect(throws: SharingError(.badBytes, "")) { try Signed<Registration>(bytes: writer.bytes) }
        _ = try self.pair.registration(topic: "com.example.Find-Friends2")
        _ = try self.pair.registration(topic: String(repeating: "a", count: 155))
    }

    @Test func aFieldLongerThanItsCountTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.counted(Array(repeating: 0, count: 65_536))
        }
    }
}
