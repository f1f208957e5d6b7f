internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Goal: a journal is complete, or its first broken line is named.
struct JournalChainTests {
    private static func hash(_ number: UInt64) -> [UInt8] {
        number == 0 ? JournalChain.beginning : Array(repeating: UInt8(number % 251), count: 32)
    }

    private static func link(_ number: UInt64, after previous: UInt64? = nil) throws -> JournalChain.Link {
        let request = try makeRequest(UInt8(number % 251)).value
        let line = JournalLine(
            number: number,
            previous: self.hash(previous ?? number - 1),
            sharer: try identity(3),
            entry: JournalEntry(.unavailable(""), to: request, at: noon)
        )
        return JournalChain.Link(hash: self.hash(number), line: line)
    }

    private static func ends(_ first: UInt64, _ last: UInt64) -> JournalChain.Ends {
        JournalChain.Ends(first: first, last: last, hash: self.hash(last))
    }

    /// Lines by their numbers, `2<9` for line 2 that follows line 9, `?2` for line 2 that does not open.
    private static func links(_ words: String) throws -> [JournalChain.Link] {
        try words.split(separator: " ").map { word in
            if word.hasPrefix("?") {
                return JournalChain.Link(hash: self.hash(try #require(UInt64(word.dropFirst()))), line: nil)
            }
            let numbers = try word.split(separator: "<").map { try #require(UInt64($0)) }
            return try self.link(numbers[0], after: numbers.count > 1 ? numbers[1] : nil)
        }
    }

    @Test(arguments: [
        ("", "", nil),
        ("1 2 3", "1-3", nil),
        // Older lines were deleted to make room.
        ("7 8", "7-8", nil),
        // A crash happened before that, and before the last line was recorded.
        ("1 2 3 4", "3-4", nil),
        ("1 2 3 4", "1-3", nil),
        ("?1 2 3", "1-3", "unreadable 1"),
        ("1 ?2 3", "1-3", "unreadable 2"),
        ("1 2 ?3", "1-3", "unreadable 3"),
        ("1 3", "1-3", "missing 2-2"),
        ("1 2 6", "1-6", "missing 3-5"),
        ("3 4", "1-4", "missing 1-2"),
        ("1 2", "1-4", "missing 3-4"),
        ("", "5-8", "missing 5-8"),
        ("1 3 2", "1-3", "unconnected 3"),
        ("2 1 3", "1-3", "unconnected 2"),
        ("3 1 2", "", "unconnected 1"),
        ("1 2 2 3", "1-3", "unconnected 2"),
        ("1 2<9 3", "1-3", "unconnected 2"),
        ("1<9 2", "1-2", "unconnected 1"),
        ("1 2", "", "endsUnknown"),
        ("1 3", "", "missing 2-2"),
        ("?1", "", "unreadable 1"),
    ]) func fault(_ lines: String, _ ends: String, _ expected: String?) throws {
        let numbers = ends.split(separator: "-").compactMap { UInt64($0) }
        let found = JournalChain.fault(
            of: try Self.links(lines),
            ends: numbers.count == 2 ? Self.ends(numbers[0], numbers[1]) : nil
        )
        let text: String? =
            switch found {
            case .unreadable(let line): "unreadable \(line)"
            case .missing(let first, let last): "missing \(first)-\(last)"
            case .unconnected(let line): "unconnected \(line)"
            case .endsUnknown: "endsUnknown"
            case nil: nil
            }
        #expect(text == expected)
        #expect(found.map { !$0.description.isEmpty } ?? true)
    }

    /// Goal: a replaced last line is detected with the record of the ends, since no line follows it.
    @Test func anExchangedLastLineIsFound() throws {
        let ends = JournalChain.Ends(first: 1, last: 2, hash: Self.hash(77))
        #expect(JournalChain.fault(of: try Self.links("1 2"), ends: ends) == .unreadable(line: 2))
    }

    /// Goal: a loss stays visible: a new line continues from the record of the ends.
    @Test func aLineAfterALossGoesOnFromTheEnds() throws {
        func next(_ last: UInt64?, _ ends: JournalChain.Ends?) -> [UInt64] {
            let next = JournalChain.next(after: last.map { ($0, Self.hash($0)) }, ends: ends)
            return [next.number, UInt64(next.previous[0])]
        }
        #expect(next(nil, nil) == [1, 0])
        #expect(next(3, Self.ends(1, 3)) == [4, 3])
        // A crash happened before the record of the ends was written.
        #expect(next(4, Self.ends(1, 3)) == [5, 4])
        #expect(next(4, nil) == [5, 4])
        for last in [UInt64?.none, 2] { #expect(next(last, Self.ends(1, 9)) == [10, 9]) }
        let lines = try Self.links("1 2 10")
        #expect(JournalChain.fault(of: lines, ends: Self.ends(1, 10)) == .missing(first: 3, last: 9))
    }

    @Test func requestsAreGatheredWithTheirEnds() throws {
        func line(_ number: UInt64, _ event: JournalEntry.Event) throws -> JournalLine {
            let request = try makeRequest(UInt8(number % 10)).value
            return JournalLine(
                number: number,
                previous: JournalChain.beginning,
                sharer: try identity(3),
                entry: JournalEntry(time: noon, request: request.id, grant: request.grant.value.id, event: event)
            )
        }
        let requests = JournaledRequest.gathered(from: [
            // Its answer was deleted to make room.
            try line(9, .ended(.delivered)),
            try line(11, .answered(.refusal(.revoked), to: identity(4), asked: .full)),
            try line(12, .answered(.unavailable(""), to: identity(5), asked: .reduced)),
            try line(21, .ended(.withheld)),
        ])
        #expect(requests.map(\.line) == [11, 12])
        #expect(requests.map(\.end) == [.withheld, nil])
        #expect(try requests.map(\.requester) == [identity(4), identity(5)])
    }
}
