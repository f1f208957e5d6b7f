internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A device as one of its person's: chosen by their word, and silent once they removed it.
struct DeviceStateTests {
    private static let id = DeviceID(high: 1, low: 2)

    /// Goal: a clock that is wrong decides nothing, the device's own as little as that of another one.
    @Test(
        arguments: [
            (now: 10, others: [], own: 0, chosen: 10_000),
            (now: 10, others: [5], own: 0, chosen: 10_000),
            (now: 10, others: [5, 4000], own: 0, chosen: 4_000_001),
            (now: 10, others: [5], own: 4000, chosen: 4_000_001),
            (now: 10, others: [10], own: 10, chosen: 10_001),
        ] as [(now: Int, others: [Int], own: Int, chosen: Int64)]
    )
    func aChoiceIsLaterThanEachOther(now: Int, others: [Int], own: Int, chosen: Int64) {
        var standing = DeviceState(id: Self.id, chosen: after(own))
        #expect(standing.registrationDue() == .tell)
        let action = standing.chosen(after: others.map(after), now: after(now))
        #expect(action == .tell && standing.id == Self.id)
        #expect(noon.duration(to: standing.chosen) == .milliseconds(chosen))
    }

    /// Goal: a device that is new is asked from then on, whenever a wrong clock said that another one was chosen.
    @Test func aFirstRegistrationIsLaterThanEachChoice() {
        let month = 30 * 86_400
        for (others, chosen) in [([], 0), ([-5, -9], 0), ([month, 3], month * 1000 + 1)] as [([Int], Int)] {
            let standing = DeviceState(first: Self.id, after: others.map(after), now: noon)
            #expect(noon.duration(to: standing.chosen) == .milliseconds(chosen) && !standing.isRemoved)
        }
        let late = DeviceState(first: Self.id, after: [WallTime(microseconds: .max)], now: noon)
        #expect(late.chosen == WallTime(microseconds: .max).wholeMilliseconds, "the end of time does not overflow")
    }

    @Test func aRemovedDeviceTellsNothingUntilItIsChosen() {
        var standing = DeviceState(id: Self.id, chosen: after(1))
        standing.removed()
        #expect(standing.isRemoved && standing.registrationDue() == .stayRemoved)
        let before = standing
        // As another device, which the host makes: this one stays what it is.
        let action = standing.chosen(after: [after(7)], now: after(3))
        #expect(action == .makeAnother(chosen: after(7).advanced(by: .milliseconds(1))))
        #expect(standing == before)
        standing.removed()
        #expect(standing == before)
    }

    /// Goal: a removed device tells nothing: no request is received, no kept answer leaves, and anyone who follows receives no more.
    @Test func aRemovedDeviceTellsNothing() throws {
        let (records, request) = (ModelRecords(), try makeRequest())
        let sharer = try identity(3)
        func received() throws -> Receipt.OnReceived {
            try Receipt.requestReceived(request, by: sharer, records, policy: SharingPolicy(), now: noon)
        }
        guard case .answer(let receipt) = try received() else { throw FixtureError() }
        let (began, _) = Answering.began(receipt, records, policy: SharingPolicy(), now: .at(0))
        var answering = began
        var random = MiddleGenerator()
        let fix = Answer.Content.unavailable("no fix")
        let sealing = answering.handle(.measured(fix), records, now: .at(0.1), using: &random)
        #expect(sealing.contains { if case .seal = $0 { true } else { false } })
        records.removed()
        let posting = answering.handle(.sealed([7]), records, now: .at(0.2), using: &random)
        #expect(posting == [.end(nil)], "the answer that was sealed stays where it is")
        #expect(records.claims.isEmpty)
        guard case .drop(let error) = try received() else { throw FixtureError() }
        #expect(error == SharingError(.notForUs, "") && error.message.contains("--answer-here"))
        #expect(records.claims.isEmpty)
    }

    @Test func theLastDeviceIsKnown() {
        let (one, other) = (Self.id, DeviceID(high: 1, low: 3))
        #expect(DeviceRemoval.leavesNone(one, of: [one]))
        #expect(!DeviceRemoval.leavesNone(one, of: [one, other]))
        #expect(!DeviceRemoval.leavesNone(one, of: [other]) && !DeviceRemoval.leavesNone(one, of: []))
    }
}
