internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the answer that a grant and a request permit, for any position.
struct PermittedTests {
    private func request(_ asked: Precision, granted: Precision) throws -> Request {
        let pair = try Pair()
        let plain = try pair.request(suite: .x25519, publicKey: []).value
        return Request(
            id: plain.id,
            grant: try pair.grant(precision: granted),
            precision: asked,
            suite: .x25519,
            publicKey: [],
            issued: plain.issued,
            expires: plain.expires
        )
    }

    @Test func whoMayKnowExactlyAndAsksForItIsTold() throws {
        let fix = Answer.Content.fix(try berlin.get())
        #expect(try self.request(.full, granted: .full).permitted(fix, refusal: nil) == fix)
    }

    @Test(arguments: [(.reduced, .full), (.reduced, .reduced), (.full, .reduced)] as [(Precision, Precision)])
    func whoAsksForLessOrMayKnowLessIsToldLess(asked: Precision, granted: Precision) throws {
        let fix = try berlin.get()
        let said = try self.request(asked, granted: granted).permitted(.fix(fix), refusal: nil)
        #expect(said == .fix(try fix.reduced()))
        guard case .fix(let reduced) = said else { throw FixtureError() }
        #expect(reduced.latitude != fix.latitude && reduced.horizontalAccuracy >= 5000 && reduced.speed == nil)
    }

    @Test(arguments: Precision.allCases, Refusal.allCases)
    func aRefusalStandsAboveAll(precision: Precision, refusal: Refusal) throws {
        let request = try self.request(precision, granted: .full)
        for content in [Answer.Content.fix(try berlin.get()), .unavailable("no sky"), .refusal(.tooSoon)] {
            #expect(try request.permitted(content, refusal: refusal) == .refusal(refusal))
        }
    }

    @Test(arguments: Precision.allCases) func whatTellsNoPositionIsSaidAsItIs(precision: Precision) throws {
        let request = try self.request(precision, granted: .full)
        for content in [Answer.Content.unavailable("no sky"), .refusal(.tooSoon)] {
            #expect(try request.permitted(content, refusal: nil) == content)
        }
    }
}
