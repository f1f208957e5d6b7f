internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// Every state of a connection against every input.
@Suite struct PoolConnectionTests {
    /// A state, reached by calls as the pool makes them.
    enum Start: String, CaseIterable {
        case opening
        case idle
        case busy
        case asked
        case leaving
        case closing
    }

    /// An input, at 1 s unless it says otherwise.
    enum Happening: String, CaseIterable {
        case settings
        case heard
        case offer
        case late
        case ended
        case retired
        case due
    }

    /// The state after each input by its first letter (`k`: ping sent), and the actions.
    static let table = """
                 settings heard offer   late   ended retired due
        opening  i        o     -       -      o     o       g:giveUp
        idle     i        i     i:take  k:ping i     l       k:ping
        busy     b        b     b:take  k:ping i     l       k:ping
        asked    b        b     k:wait  k:wait i     l       k:giveUp
        leaving  l        l     -       -      l     l       l:ping
        closing  c        c     -       -      c     c       c
        """

    static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    static func connection(in start: Start) -> PoolConnection {
        var connection = PoolConnection(id: 1, now: Self.at(0))
        if start == .opening { return connection }
        connection.settingsReceived(streamsMax: 10, now: Self.at(0))
        if start == .idle { return connection }
        _ = connection.pushSent(7, now: Self.at(0))
        switch start {
        case .opening, .idle, .busy: break
        case .asked: connection.doubted(now: Self.at(0))
        case .leaving: connection.retired()
        case .closing: connection.closed(isWantedNoMore: false)
        }
        return connection
    }

    static func happen(_ happening: Happening, _ connection: inout PoolConnection) -> String? {
        switch happening {
        case .settings: connection.settingsReceived(streamsMax: nil, now: Self.at(1))
        case .heard: connection.heard(now: Self.at(1))
        case .offer, .late:
            let now = Self.at(happening == .offer ? 1 : 60)
            return connection.hasRoom(now: now) ? "\(connection.pushOffered(now: now))" : "-"
        case .ended: _ = connection.streamEnded(1, now: Self.at(1))
        case .retired: connection.retired()
        case .due:
            guard let deadline = connection.deadline(isSurplus: false) else { return nil }
            let early = EngineInstant(sinceStart: deadline.sinceStart - .milliseconds(1))
            var copy = connection
            #expect(copy.deadlineReached(isSurplus: false, now: early) == .ignore && copy == connection)
            return "\(connection.deadlineReached(isSurplus: false, now: deadline))"
        }
        return nil
    }

    static func letter(_ connection: PoolConnection) -> String {
        switch (connection.state, connection.pulse) {
        case (.opening, _): "o"
        case (.open, .asked): "k"
        case (.open, .since): connection.streams.isEmpty ? "i" : "b"
        case (.leaving, _): "l"
        case (.closing, _): "c"
        }
    }

    @Test func everyInputInEveryState() throws {
        let lines = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let header = try #require(lines.first)
        #expect(header == Happening.allCases.map(\.rawValue))
        #expect(lines.dropFirst().map(\.[0]) == Start.allCases.map(\.rawValue))
        for (start, line) in zip(Start.allCases, lines.dropFirst()) {
            for (happening, expected) in zip(Happening.allCases, line.dropFirst()) {
                var connection = Self.connection(in: start)
                let action = Self.happen(happening, &connection)
                let found =
                    switch action {
                    case nil: Self.letter(connection)
                    case "-": "-"
                    case "giveUp" where start == .opening: "g:giveUp"
                    case let action?: "\(Self.letter(connection)):\(action)"
                    }
                #expect(found == expected, "\(start.rawValue) \(happening.rawValue)")
            }
        }
    }

    @Test func itTakesNoMoreStreamsThanBothAllow() {
        var connection = PoolConnection(id: 1, now: Self.at(0))
        connection.settingsReceived(streamsMax: nil, now: Self.at(0))
        for ticket in 0..<1000 {
            #expect(connection.hasRoom(now: Self.at(0)))
            _ = connection.pushSent(UInt64(ticket), now: Self.at(0))
        }
        #expect(!connection.hasRoom(now: Self.at(0)))
        // Without an answer, the connection has not shown how many streams it accepts.
        #expect(!connection.isFull)
        connection.tokenTaken()
        #expect(connection.isFull)
    }

    @Test func pushesAboveAStreamAreTakenInTheirOrder() {
        var connection = Self.connection(in: .idle)
        for ticket in [5, 6, 7, 8] as [UInt64] { _ = connection.pushSent(ticket, now: Self.at(0)) }
        #expect(connection.takePushes(above: 3) == [7, 8])
        #expect(connection.takePushes(above: 3) == [])
        #expect(connection.takePushes() == [5, 6])
    }
}
