internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Every state of a condition's record, reached by public calls, with every input.
///
/// A finding is written as its state, `s` for satisfied, `u` for unsatisfied and `?` for unknown, and its second.
/// `!`: nothing watches the condition any more.
@Suite struct ConditionRecordMatrixTests {
    enum Start: CaseIterable {
        case added, quiet, pending, told, overtaken, reminded, reminding, abandoned

        /// Added at second 0 and handled as satisfied at 1; event 7 is with client 1.
        var record: ConditionRecord {
            var record = ConditionRecordMatrixTests.added(.known)
            record.isWatched = true
            switch self {
            case .added: break
            case .quiet:
                record.decided(finding(.satisfied, 1))
                record.handed(to: ClientID(1), as: 6)
                _ = record.handled(6, by: ClientID(1))
            case .pending:
                record = Start.quiet.record
                record.decided(finding(.unsatisfied, 2))
            case .told:
                record = Start.pending.record
                record.handed(to: ClientID(1), as: 7)
            case .overtaken:
                record = Start.told.record
                record.decided(finding(.satisfied, 3))
            case .reminded:
                record = Start.quiet.record
                record.displayLit(at: WallTime(seconds: 4))
            case .reminding:
                record = Start.reminded.record
                record.handed(to: ClientID(1), as: 7)
            case .abandoned:
                record = Start.pending.record
                record.abandoned()
            }
            return record
        }
    }

    enum Input: CaseIterable {
        case satisfied, unsatisfied, unknown, displayLit, handed, handled, otherHandled, strangerHandled, vanished
        case strangerVanished, passedOver, abandoned

        func apply(to record: inout ConditionRecord) {
            switch self {
            case .satisfied: record.decided(finding(.satisfied, 10))
            case .unsatisfied: record.decided(finding(.unsatisfied, 10))
            case .unknown: record.decided(finding(.unknown, 10))
            case .displayLit: record.displayLit(at: WallTime(seconds: 10))
            case .handed: record.handed(to: ClientID(1), as: 9)
            case .handled: _ = record.handled(7, by: ClientID(1))
            case .otherHandled: _ = record.handled(8, by: ClientID(1))
            case .strangerHandled: _ = record.handled(7, by: ClientID(2))
            case .vanished: record.vanished(ClientID(1))
            case .strangerVanished: record.vanished(ClientID(2))
            case .passedOver: record.passedOver()
            case .abandoned: record.abandoned()
            }
        }
    }

    /// The outcomes of the inputs: the known, found, delivered and pending states.
    private static let table = OutcomeTable<Start, Input>(
        """
                          added         quiet         pending       told         overtaken    reminded      reminding    abandoned
        satisfied         ?0 s10 - s10  s1 s1 - -     s1 s10 - -    s1 s10 u2 -  s1 s3 u2 -   s1 s1 - s4    s1 s1 s4 -   s1 - - -!
        unsatisfied       ?0 u10 - u10  s1 u10 - u10  s1 u2 - u2    s1 u2 u2 -   s1 u10 u2 -  s1 u10 - u10  s1 u10 s4 -  s1 u10 - -!
        unknown           ?0 - - -      s1 ?10 - ?10  s1 ?10 - ?10  s1 ?10 u2 -  s1 ?10 u2 -  s1 ?10 - ?10  s1 ?10 s4 -  s1 ?10 - -!
        displayLit        ?0 - - -      s1 s1 - s10   s1 u2 - u2    s1 u2 u2 -   s1 s3 u2 -   s1 s1 - s4    s1 s1 s4 -   s1 - - -!
        handed            ?0 - - -      s1 s1 - -     s1 u2 u2 -    s1 u2 u2 -   s1 s3 u2 -   s1 s1 s4 -    s1 s1 s4 -   s1 - - -!
        handled           ?0 - - -      s1 s1 - -     s1 u2 - u2    u2 u2 - -    u2 s3 - s3   s1 s1 - s4    s4 s1 - -    s1 - - -!
        otherHandled      ?0 - - -      s1 s1 - -     s1 u2 - u2    s1 u2 u2 -   s1 s3 u2 -   s1 s1 - s4    s1 s1 s4 -   s1 - - -!
        strangerHandled   ?0 - - -      s1 s1 - -     s1 u2 - u2    s1 u2 u2 -   s1 s3 u2 -   s1 s1 - s4    s1 s1 s4 -   s1 - - -!
        vanished          ?0 - - -      s1 s1 - -     s1 u2 - u2    s1 u2 - u2   s1 s3 - -    s1 s1 - s4    s1 s1 - s4   s1 - - -!
        strangerVanished  ?0 - - -      s1 s1 - -     s1 u2 - u2    s1 u2 u2 -   s1 s3 u2 -   s1 s1 - s4    s1 s1 s4 -   s1 - - -!
        passedOver        ?0 - - -      s1 s1 - -     u2 u2 - -     s1 u2 u2 -   s1 s3 u2 -   s4 s1 - -     s1 s1 s4 -   s1 - - -!
        abandoned         ?0 - - -!     s1 - - -!     s1 - - -!     s1 - u2 -!   s1 - u2 -!   s1 - - -!     s1 - s4 -!   s1 - - -!
        """
    )

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        #expect(try Self.outcome(start, input) == Self.table[start, input])
    }

    static func outcome(_ start: Start, _ input: Input) -> String {
        var record = start.record
        input.apply(to: &record)
        return self.words(record)
    }

    /// Only the client that received an event can report it as handled.
    @Test(arguments: Start.allCases) func whoHandles(_ start: Start) {
        var record = start.record
        let (byStranger, ofAnother) = (record.handled(7, by: ClientID(2)), record.handled(8, by: ClientID(1)))
        #expect(!byStranger && !ofAnother)
        let isHandled = record.handled(7, by: ClientID(1))
        #expect(isHandled == [.told, .overtaken, .reminding].contains(start))
    }

    /// A crossing that the app did not request is recorded at once.
    ///
    /// Other crossings wait for the app.
    @Test(arguments: [Notices.entry, .exit, .first, []]) func crossingsNobodyHearsOf(_ notices: Notices) {
        let crossings: [(ConditionState, ConditionState, Notices)] = [
            (.unknown, .satisfied, .first), (.unknown, .unsatisfied, .first), (.unsatisfied, .satisfied, .entry),
            (.satisfied, .unsatisfied, .exit),
        ]
        for (before, after, crossing) in crossings {
            var record = Self.added(notices, known: before)
            record.decided(finding(after, 5))
            let isHeard = notices.contains(crossing)
            #expect(record.pending == (isHeard ? finding(after, 5) : nil))
            #expect(record.known == (isHeard ? finding(before, 0) : finding(after, 5)))
            // The app's copy of the record misses the events that it did not receive.
            #expect(record.isKnownTold == isHeard)
        }
    }

    private static func words(_ record: ConditionRecord) -> String {
        let standing = record.standing == .abandoned ? "!" : ""
        return
            "\(word(record.known)) \(word(record.found)) \(word(record.told?.finding)) \(word(record.pending))\(standing)"
    }

    private static func added(_ notices: Notices, known: ConditionState = .unknown) -> ConditionRecord {
        ConditionRecord(
            number: 1,
            monitor: "m",
            identifier: "a",
            condition: .circle(Condition.Circle(latitude: 0, longitude: 0, radius: 100_000)),
            notices: notices,
            standing: .placed,
            known: finding(known, 0)
        )
    }
}

private func finding(_ state: ConditionState, _ second: Int) -> ConditionRecord.Finding {
    ConditionRecord.Finding(state: state, time: WallTime(seconds: Int64(second)))
}

private func word(_ finding: ConditionRecord.Finding?) -> String {
    guard let finding else { return "-" }
    let letter =
        switch finding.state {
        case .satisfied: "s"
        case .unsatisfied: "u"
        case .unknown: "?"
        }
    return "\(letter)\(finding.time.microseconds / 1_000_000)"
}
