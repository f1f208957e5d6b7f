import Testing
import WhereaboutsVocabulary

@testable import WhereaboutsSharingEngine

/// The nearest of the people who accept are chosen.
@Suite struct DispatchChoiceTests {
    private typealias Alert = (id: AlertID, volunteer: UInt64)

    /// Seven people, alerted; their phones tell these travel times.
    private func alerted(
        _ bands: [Responder.Band?],
        responders: Int = 1
    ) -> (fixture: DispatchFixture, alerts: [Alert]) {
        var fixture = DispatchFixture()
        fixture.enroll(1...UInt64(bands.count))
        let alerts = fixture.open(responders: responders).alerts
        for (alert, band) in zip(alerts, bands) {
            if let band { _ = fixture.answer(alert, .band(band)) }
        }
        return (fixture, alerts)
    }

    private func revealed(_ effects: [Dispatch.Effect]) -> [AlertID] {
        effects.compactMap { effect in
            guard case .reveal(_, let id, _) = effect else { return nil }
            return id
        }
    }

    @Test func aNearerPersonWhoAcceptsInTimeIsChosen() {
        var (fixture, alerts) = self.alerted([.within9, .within3, .within9, .longer])
        let first = fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)
        #expect(self.revealed(first).isEmpty)
        #expect(first.alerts.isEmpty)
        #expect(first.stoodDown(.enough) == [alerts[2], alerts[3]].map(\.volunteer).sorted(), "they can't be nearer")
        #expect(self.revealed(fixture.wait(.seconds(19))).isEmpty)
        let second = fixture.answer(alerts[1], .accepted(sealed: [2]), number: 2)
        #expect(self.revealed(second) == [alerts[1].id])
        #expect(second.stoodDown(.enough) == [alerts[0].volunteer])
    }

    @Test func thePersonOnHoldIsChosenWhenTheTimePasses() {
        var (fixture, alerts) = self.alerted([.within9, .within3])
        _ = fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)
        let effects = fixture.wait(.seconds(20))
        #expect(self.revealed(effects) == [alerts[0].id])
        #expect(effects.stoodDown(.enough) == [alerts[1].volunteer])
    }

    @Test func thePersonOnHoldIsChosenWhenNobodyNearerIsLeft() {
        for answer in [Responder.Answer.refused, .outOfRange] {
            var (fixture, alerts) = self.alerted([.within3, nil])
            _ = fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)
            #expect(self.revealed(fixture.answer(alerts[1], answer)).isEmpty, "0 was chosen before")
            (fixture, alerts) = self.alerted([.within6, nil])
            #expect(self.revealed(fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)).isEmpty)
            #expect(self.revealed(fixture.answer(alerts[1], answer)) == [alerts[0].id])
        }
    }

    @Test func thePersonWhoIsOnTheWayIsChosen() {
        var (fixture, alerts) = self.alerted([.within9, .within3])
        _ = fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)
        let effects = fixture.answer(alerts[0], .enRoute(sealed: [2]), number: 3)
        #expect(self.revealed(effects) == [alerts[0].id])
        #expect(effects.stoodDown(.enough) == [alerts[1].volunteer])
    }

    @Test func theNearestTwoOfThreeAreChosen() {
        var (fixture, alerts) = self.alerted([.within9, .within6, .within3, .within3], responders: 2)
        #expect(self.revealed(fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)).isEmpty)
        #expect(self.revealed(fixture.answer(alerts[1], .accepted(sealed: [2]), number: 2)).isEmpty)
        let effects = fixture.answer(alerts[2], .accepted(sealed: [3]), number: 2)
        #expect(effects.stoodDown(.enough) == [alerts[0].volunteer])
        #expect(self.revealed(effects) == [alerts[2].id])
        // The person within 6 minutes still waits for the other one within 3.
        #expect(self.revealed(fixture.wait(.seconds(20))) == [alerts[1].id])
    }

    @Test func aPersonOnHoldWhoWithdrawsIsNeverRevealed() {
        var (fixture, alerts) = self.alerted([.within9, .within3])
        _ = fixture.answer(alerts[0], .accepted(sealed: [1]), number: 2)
        #expect(self.revealed(fixture.answer(alerts[0], .withdrawn, number: 3)).isEmpty)
        #expect(self.revealed(fixture.wait(.seconds(20))).isEmpty)
    }
}
