internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

@Suite struct ReducedAccuracyTests {
    /// An app in the foreground that may only know the approximate position.
    private func reading(streams: [UInt64] = [5]) -> Device {
        var device = Device(.whileUsing, precise: false)
        device.connect(1)
        device.declare(1, streams: streams)
        return device
    }

    @Test func theFirstUpdateIsAnApproximatePlaceAndSaysSo() throws {
        var device = self.reading()
        device.fix()
        let update = try #require(device.updates(to: 1).first)
        let fix = try #require(update.fix)
        #expect(update.diagnostics == .accuracyLimited)
        #expect(fix.latitude != 425_000_000)
        #expect((fix.horizontalAccuracy ?? 0) >= 5_000_000)
        #expect(fix.altitude == nil && fix.course == nil && fix.speed == nil)
    }

    @Test func theNextOneTakesAQuarterOfAnHour() {
        var device = self.reading()
        var times: [Double] = []
        for second in 0..<3600 {
            device.fix(latitude: 425_000_000 + Int32(second) * 100)
            if !device.updates(to: 1).isEmpty { times.append(device.seconds) }
            device.pass(1)
        }
        #expect(times.count == 4)
        for (next, last) in zip(times.dropFirst(), times) { #expect((900...1200).contains(next - last)) }
    }

    @Test func meanwhileTheReceiverRests() {
        var device = self.reading()
        device.fix()
        #expect(device.pass(31).contains(.sensor(.receiver, isOn: false)))
        #expect(device.pass(870).contains(.sensor(.receiver, isOn: true)))
    }

    @Test func aNewStreamIsServedWithTheSamePlaceAtOnce() {
        var device = self.reading()
        device.fix()
        let place = device.updates(to: 1).first
        device.pass(600)
        device.declare(1, streams: [5, 6])
        #expect(device.updates(to: 1) == [place].compactMap(\.self))
    }

    @Test func whoMayKnowMoreAndAsksForLessGetsLess() throws {
        var device = Device(.whileUsing)
        device.connect(1)
        device.declare(
            1,
            Declaration(streams: [.init(id: 1, service: .once(desiredAccuracy: Service.reduced)), .init(id: 2)])
        )
        device.fix()
        let updates = device.updates(to: 1)
        #expect(updates.map(\.diagnostics) == [.accuracyLimited, []])
        #expect(updates.last?.fix?.latitude == 425_000_000)
    }

    @Test func theTrueBearingCannotBeAveragedOut() {
        // A thousand noisy fixes at one place reveal no more than one does.
        var places: Set<Int32> = []
        for noise in 0..<1000 {
            let fix = Fix(
                latitude: 425_100_000 + Int32(noise % 37) * 10,
                longitude: 14_100_000 - Int32(noise % 23) * 10,
                horizontalAccuracy: 5000,
                time: WallTime(seconds: 0),
                arrival: EngineInstant(sinceStart: .zero)
            )
            places.insert(ReducedAccuracy.reduced(fix, radius: 5_000_000).latitude)
        }
        #expect(places.count == 1)
    }

    @Test func temporaryFullAccuracyIsPreciseAtOnce() {
        var device = self.reading()
        device.fix()
        device.feed(.fullAccuracyRequested(ClientID(1), purpose: "Navigation", request: 1))
        device.answer(.allowFullAccuracy)
        #expect(device.updates(to: 1).map(\.fix?.latitude) == [425_000_000])
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
    }
}
