internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct ProviderTokensTests {
    /// Every state, and how to reach it by public calls.
    enum Start: CaseIterable {
        case unauthenticated
        case authenticated
        case updated
    }

    static func at(_ seconds: Int64) -> WallTime { WallTime(seconds: 1_800_000_000 + seconds) }

    static func token(_ seconds: Int64, team: String = "TEAM", key: String = "KEY") -> ProviderTokenEvidence {
        .verified(ProviderClaims(teamID: team, keyID: key, issuedAt: Self.at(seconds), scope: .all))
    }

    static func connection(in start: Start) -> ProviderTokens {
        var connection = ProviderTokens()
        if start != .unauthenticated { _ = connection.tokenPresented(Self.token(0), now: Self.at(0)) }
        if start == .updated { _ = connection.tokenPresented(Self.token(1), now: Self.at(1)) }
        return connection
    }

    @Test(arguments: Start.allCases)
    func badEvidenceChangesNothing(start: Start) {
        let rows: [(ProviderTokenEvidence, Reason)] = [
            (.missing, .missingProviderToken), (.malformed, .invalidProviderToken),
            (.unknownKey, .invalidProviderToken), (.badSignature, .invalidProviderToken),
            (Self.token(10 - 3601), .expiredProviderToken), (Self.token(10 + 3601), .expiredProviderToken),
            (
                .verified(
                    ProviderClaims(teamID: "TEAM", keyID: "KEY", issuedAt: WallTime(milliseconds: .min), scope: .all)
                ),
                .expiredProviderToken
            ),
        ]
        for (evidence, reason) in rows {
            var connection = Self.connection(in: start)
            let before = connection
            #expect(connection.tokenPresented(evidence, now: Self.at(10)) == .reject(reason))
            #expect(connection == before)
        }
    }

    @Test(arguments: [-3600, 3600] as [Int64]) func anHourBothWaysIsFresh(age: Int64) {
        var connection = ProviderTokens()
        #expect(connection.tokenPresented(Self.token(age), now: Self.at(0)) == .accept(.all))
    }

    @Test func theAcceptedTokenAges() {
        var connection = Self.connection(in: .authenticated)
        #expect(connection.tokenPresented(Self.token(0), now: Self.at(3600)) == .accept(.all))
        #expect(connection.tokenPresented(Self.token(0), now: Self.at(3601)) == .reject(.expiredProviderToken))
    }

    @Test func aStaleTokenSpoilsAStrictConnection() {
        for isStrict in [false, true] {
            var connection = ProviderTokens(isStrict: isStrict)
            #expect(connection.tokenPresented(Self.token(0), now: Self.at(0)) == .accept(.all))
            #expect(connection.tokenPresented(Self.token(0), now: Self.at(3601)) == .reject(.expiredProviderToken))
            let next = connection.tokenPresented(Self.token(3601), now: Self.at(3601))
            #expect(next == (isStrict ? .reject(.expiredProviderToken) : .accept(.all)))
        }
    }

    @Test(arguments: Start.allCases) func anotherTeamNeedsAnotherConnection(start: Start) {
        var connection = Self.connection(in: start)
        let expected: ProviderTokens.OnToken =
            switch start {
            case .unauthenticated: .accept(.all)
            case .authenticated, .updated: .reject(.unrelatedKeyIDInToken)
            }
        #expect(connection.tokenPresented(Self.token(2, team: "OTHER"), now: Self.at(2)) == expected)
    }

    @Test func aSecondUpdateWaitsTwentyMinutes() {
        var connection = Self.connection(in: .updated)
        #expect(connection.tokenPresented(Self.token(2), now: Self.at(1200)) == .reject(.tooManyProviderTokenUpdates))
        #expect(connection.tokenPresented(Self.token(1), now: Self.at(1200)) == .accept(.all))
        #expect(connection.tokenPresented(Self.token(2), now: Self.at(1201)) == .accept(.all))
        #expect(
            connection.tokenPresented(Self.token(3, key: "KEY2"), now: Self.at(1202))
                == .reject(.tooManyProviderTokenUpdates)
        )
    }
}
