internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for one of a person's devices: chosen by the person, and silent after its removal.
struct DeviceStateTests {
    private static let id = DeviceID(high: 1, low: 2)

    /// Goal: a wrong clock decides nothing, neither the device's nor another one's.
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

    /// Goal: a new device is asked from then on, even if another one was chosen with a wrong clock in the future.
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
        // The host registers another device; this one does not change.
        let action = standing.chosen(after: [after(7)], now: after(3))
        #expect(action == .makeAnother(chosen: after(7).advanced(by: .milliseconds(1))))
        #expect(standing == before)
        standing.removed()
        #expect(standing == before)
    }

    /// Goal: a removed device reveals nothing: it receives no request, sends no stored answer, and its followers get no
    /// update.
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
