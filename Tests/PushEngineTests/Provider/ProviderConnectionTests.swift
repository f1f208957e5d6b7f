internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct ProviderConnectionTests {
    /// Every state with one request in progress, and how to reach it by public calls.
    enum Start: String, CaseIterable {
        case shaking
        case stranger
        case known
        case leaving
        case ending
        case closed
    }

    /// An input, at the earliest time at which it can arrive.
    enum Happening: String, CaseIterable {
        case tls
        case good
        case bad
        case answered
        case end
        case ping
        case broken
        case early
        case due
    }

    /// The state after each input, by its first letter (`-` if nothing happens), and the actions.
    static let table = """
                  tls good   bad                    answered end        ping    broken early due
        shaking   s   k:read h:MissingProviderToken h        c:close    -       e      -     c:close
        stranger  -   k:read s:MissingProviderToken s        l:Shutdown -       e      -     l:IdleTimeout
        known     -   k:read k:MissingProviderToken k        l:Shutdown -       e      -     -
        leaving   -   l:read l:MissingProviderToken l        -          e:name  e      -     e:name
        ending    -   e:read e:MissingProviderToken c:close  -          -       -      -     c:close
        closed    -   c:read c:MissingProviderToken c        -          -       -      -     -
        """

    static let wall = WallTime(seconds: 1_800_000_000)
    static let good = ProviderTokenEvidence.verified(
        ProviderClaims(teamID: "T", keyID: "K", issuedAt: Self.wall, scope: .all)
    )

    static func at(_ seconds: Int64) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    /// A connection on which a request of an unknown provider is in progress.
    static func connection(in start: Start) -> ProviderConnection {
        var connection = ProviderConnection(now: Self.at(0))
        _ = Self.begin(&connection, .missing)
        if start == .shaking { return connection }
        connection.handshakeEnded(now: Self.at(0))
        switch start {
        case .shaking, .stranger: break
        case .known:
            _ = Self.begin(&connection, Self.good)
            _ = connection.requestEnded()
        case .leaving: _ = connection.endDecided(.shutdown, now: Self.at(0))
        case .ending:
            _ = connection.endDecided(.shutdown, now: Self.at(0))
            _ = connection.pingReturned(now: Self.at(0))
        case .closed:
            connection.ruleBroken(now: Self.at(0))
            _ = connection.deadlineReached(now: Self.at(5))
        }
        return connection
    }

    static func begin(_ connection: inout ProviderConnection, _ evidence: ProviderTokenEvidence) -> String {
        do throws(Rejection) {
            _ = try connection.requestBegan(evidence, now: Self.wall)
            return "read"
        } catch {
            return error.reason.rawValue
        }
    }

    static func happen(_ happening: Happening, _ connection: inout ProviderConnection) -> String? {
        let due = connection.deadline ?? Self.at(1000)
        switch happening {
        case .tls:
            connection.handshakeEnded(now: Self.at(1))
            return nil
        case .good: return Self.begin(&connection, Self.good)
        case .bad: return Self.begin(&connection, .missing)
        case .answered:
            switch connection.requestEnded() {
            case .ignore: return nil
            case .close: return "close"
            }
        case .end:
            switch connection.endDecided(.shutdown, now: Self.at(1)) {
            case .ignore: return nil
            case .announce(let reason): return reason.rawValue
            case .close: return "close"
            }
        case .ping:
            switch connection.pingReturned(now: Self.at(1)) {
            case .ignore: return nil
            case .nameLast: return "name"
            }
        case .broken:
            connection.ruleBroken(now: Self.at(1))
            return nil
        case .early, .due:
            let now = happening == .due ? due : EngineInstant(sinceStart: due.sinceStart - .milliseconds(1))
            switch connection.deadlineReached(now: now) {
            case .ignore: return nil
            case .announce(let reason): return reason.rawValue
            case .nameLast: return "name"
            case .close: return "close"
            }
        }
    }

    static func letter(_ connection: ProviderConnection) -> String {
        switch connection.state {
        case .shaking: "h"
        case .stranger: "s"
        case .known: "k"
        case .leaving: "l"
        case .ending: "e"
        case .closed: "c"
        }
    }

    @Test func everyInputInEveryState() {
        var rows = [[""] + Happening.allCases.map(\.rawValue)]
        for start in Start.allCases {
            var row = [start.rawValue]
            for happening in Happening.allCases {
                var connection = Self.connection(in: start)
                let before = connection
                let outcome = Self.happen(happening, &connection)
                let letter = connection == before ? "-" : Self.letter(connection)
                row.append(outcome.map { "\(letter):\($0)" } ?? letter)
            }
            rows.append(row)
        }
        let expected = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(Array(rows[0].dropFirst()) == expected[0])
        #expect(Array(rows.dropFirst()) == Array(expected.dropFirst()))
    }

    @Test func requestsUnderWayHaveFiveSecondsAndNoneHasNone() {
        var busy = Self.connection(in: .known)
        #expect(busy.deadline == nil)
        _ = busy.endDecided(.shutdown, now: Self.at(10))
        #expect(busy.deadline == Self.at(11))
        #expect(busy.pingReturned(now: Self.at(10)) == .nameLast(.shutdown))
        #expect(busy.deadline == Self.at(15))
        var quiet = Self.connection(in: .known)
        #expect(quiet.requestEnded() == .ignore)
        _ = quiet.endDecided(.shutdown, now: Self.at(10))
        #expect(quiet.deadlineReached(now: Self.at(11)) == .nameLast(.shutdown))
        #expect(quiet.deadline == Self.at(11))
        #expect(quiet.deadlineReached(now: Self.at(11)) == .close)
    }

    /// Goal: requests that were sent before the GOAWAY arrived are accepted as usual, and answered before the end.
    @Test func requestsThatCrossTheEndAreTaken() {
        var connection = Self.connection(in: .known)
        #expect(connection.requestEnded() == .ignore)
        _ = connection.endDecided(.shutdown, now: Self.at(10))
        #expect(Self.begin(&connection, Self.good) == "read")
        #expect(connection.pingReturned(now: Self.at(10)) == .nameLast(.shutdown))
        #expect(connection.requestEnded() == .close)
    }

    /// Goal: requests above the announced last stream are not accepted, because their provider repeats them elsewhere.
    @Test func nothingIsTakenOnceTheLastRequestIsNamed() {
        let takers = Start.allCases.filter { Self.connection(in: $0).takesRequests }
        #expect(takers == [.shaking, .stranger, .known, .leaving])
    }

    @Test func aStrangerHasAMinuteAndItsHandshakeTenSeconds() {
        #expect(Self.connection(in: .shaking).deadline == Self.at(10))
        #expect(Self.connection(in: .stranger).deadline == Self.at(60))
    }

    @Test func aRejectionNarrowsAStrictConnection() {
        var connection = ProviderConnection(now: Self.at(0), isStrict: true)
        connection.handshakeEnded(now: Self.at(0))
        #expect(Self.begin(&connection, .missing) == "MissingProviderToken")
        // It has one stream anyway.
        #expect(connection.requestAnswered(isAccepted: false) == .ignore)
        #expect(Self.begin(&connection, Self.good) == "read")
        #expect(connection.requestAnswered(isAccepted: true) == .ignore)
        #expect(connection.requestAnswered(isAccepted: false) == .limitStreams(1))
        #expect(connection.requestAnswered(isAccepted: false) == .ignore)
        #expect(connection.requestAnswered(isAccepted: true) == .limitStreams(1000))
    }

    @Test func aRejectionChangesNothingElsewhere() {
        var connection = Self.connection(in: .known)
        #expect(connection.requestAnswered(isAccepted: false) == .ignore)
        #expect(connection.requestAnswered(isAccepted: true) == .ignore)
    }
}
