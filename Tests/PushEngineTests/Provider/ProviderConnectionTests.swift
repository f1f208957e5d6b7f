internal import APNS
internal import Testing
internal import Vocabulary

@testable internal import PushEngine

@Suite struct ProviderConnectionTests {
    /// Every state with one request under way, and how to get there by public calls only.
    enum Start: String, CaseIterable {
        case shaking
        case stranger
        case known
        case ending
        case closed
    }

    /// An input, at the least time at which it can come.
    enum Happening: String, CaseIterable {
        case tls
        case good
        case bad
        case began
        case answered
        case end
        case early
        case due
    }

    /// The state after each input, by its first letter, `-` where nothing at all happens; then what it comes to.
    static let table = """
                  tls good       bad                    began answered  end       early due
        shaking   s   k:push     -:MissingProviderToken h     h         e:goaway  -     c:close
        stranger  -   k:push     -:MissingProviderToken s     s         e:goaway  -     e:IdleTimeout
        known     -   -:push     -:MissingProviderToken k     k         e:goaway  -     -
        ending    -   e:Shutdown -:MissingProviderToken e     c:close   -         -     c:close
        closed    -   c:Shutdown -:MissingProviderToken c     c         -         -     -
        """

    static let wall = WallTime(seconds: 1_800_000_000)
    static let good = ProviderTokenEvidence.verified(
        ProviderClaims(teamID: "T", keyID: "K", issuedAt: Self.wall, scope: .all)
    )

    static func at(_ seconds: Int64) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    static func connection(in start: Start) -> ProviderConnection {
        var connection = ProviderConnection(now: Self.at(0))
        connection.requestBegan()
        switch start {
        case .shaking: break
        case .stranger: connection.handshakeEnded(now: Self.at(0))
        case .known: _ = Self.request(&connection, Self.good)
        case .ending: _ = connection.endDecided(now: Self.at(0))
        case .closed:
            _ = connection.endDecided(now: Self.at(0))
            _ = connection.deadlineReached(now: Self.at(5))
        }
        return connection
    }

    static func request(_ connection: inout ProviderConnection, _ evidence: ProviderTokenEvidence) -> String {
        do throws(Rejection) {
            _ = try connection.requestReceived(ValidationTests.request(), evidence, now: Self.wall)
            return "push"
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
        case .good: return Self.request(&connection, Self.good)
        case .bad: return Self.request(&connection, .missing)
        case .began:
            connection.requestBegan()
            return nil
        case .answered:
            switch connection.requestEnded() {
            case .ignore: return nil
            case .close: return "close"
            }
        case .end:
            switch connection.endDecided(now: Self.at(1)) {
            case .ignore: return nil
            case .goAway: return "goaway"
            }
        case .early, .due:
            let now = happening == .due ? due : EngineInstant(sinceStart: due.sinceStart - .milliseconds(1))
            switch connection.deadlineReached(now: now) {
            case .ignore: return nil
            case .goAway(let reason): return reason.rawValue
            case .close: return "close"
            }
        }
    }

    static func letter(_ connection: ProviderConnection) -> String {
        switch connection.state {
        case .shaking: "h"
        case .stranger: "s"
        case .known: "k"
        case .ending: "e"
        case .closed: "c"
        }
    }

    @Test func everyInputInEveryState() {
        var rows = [Happening.allCases.map(\.rawValue)]
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
        #expect(rows == Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) })
    }

    @Test func requestsUnderWayHaveFiveSecondsAndNoneHasNone() {
        var busy = Self.connection(in: .known)
        #expect(busy.deadline == nil)
        _ = busy.endDecided(now: Self.at(10))
        #expect(busy.deadline == Self.at(15))
        var quiet = Self.connection(in: .known)
        #expect(quiet.requestEnded() == .ignore)
        _ = quiet.endDecided(now: Self.at(10))
        #expect(quiet.deadline == Self.at(10))
        #expect(quiet.deadlineReached(now: Self.at(10)) == .close)
    }

    @Test func aStrangerHasAMinuteAndItsHandshakeTenSeconds() {
        #expect(Self.connection(in: .shaking).deadline == Self.at(10))
        #expect(Self.connection(in: .stranger).deadline == Self.at(60))
    }
}
