internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: a beacon condition is satisfied at the first reception, unsatisfied after thirty seconds without one, and
/// unsupported without a scanner.
@Suite struct BeaconConditionTests {
    @Test func theFirstReceptionSatisfiesAndHalfAMinuteOfSilenceEndsIt() throws {
        var device = Device.scanning()
        device.add("till", Device.near(1, 1))
        #expect(device.effects.contains(.sensor(.scanner, isOn: true)))
        #expect(!device.effects.contains(.sensor(.receiver, isOn: true)), "no position is needed")
        device.listen(5, to: [Device.beacon(1, 2)])
        #expect(device.events().isEmpty, "that is another one")
        device.listen(1, to: [Device.beacon()])
        let event = try #require(device.events().first)
        #expect(event.state == .satisfied && event.refinement == nil && event.time == device.now.wall)
        device.change(1, 2, .handled(try #require(event.number)))
        device.listen(29)
        #expect(device.events().isEmpty)
        device.listen(1)
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    @Test func aBeaconThatIsNotReceivedForFiveSecondsIsAway() {
        var device = Device.scanning()
        device.add("till", Device.near(1, 1))
        device.listen(5)
        #expect(device.events().isEmpty, "the clock of the scanner begins with its first report")
        device.listen(1)
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    /// Goal: a stay does not end because the scanner hangs or is gone.
    @Test func nobodyLeavesWhileNobodyListens() throws {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .unsatisfied)
        device.listen(1, to: [Device.beacon()])
        device.change(1, 2, .handled(try #require(device.events().first?.number)))
        device.pass(3600)
        #expect(device.events().isEmpty, "it hangs")
        device.feed(.sensed(.lost(.scanner)))
        device.pass(3600)
        device.feed(.sensed(.ready(.scanner)))
        device.listen(29)
        #expect(device.events().isEmpty, "it begins to listen")
        device.listen(2)
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    @Test func anOpenConditionNamesTheBeaconAndTheEndOfItNamesNone() throws {
        var device = Device.scanning()
        device.add("any", Device.near(), assuming: .unsatisfied)
        device.add("group", Device.near(2), assuming: .unsatisfied)
        device.listen(1, to: [Device.beacon(2, 9), Device.beacon(1, 4)])
        #expect(device.events().map(\.identifier) == ["any", "group"])
        #expect(device.events().map(\.refinement) == [Device.beacon(2, 9), Device.beacon(2, 9)])
        for event in device.events() { device.change(1, 2, .handled(try #require(event.number))) }
        device.listen(40, to: [Device.beacon(1, 4)])
        #expect(device.events().map(\.identifier) == ["group"], "another one satisfies the first")
        #expect(device.events().map(\.refinement) == [nil])
    }

    /// Goal: when the display lights up, satisfied conditions are repeated once to the apps that ask for it.
    @Test func aLitDisplayReminds() throws {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .unsatisfied, Notices([.exit, .display]))
        device.add("other", Device.near(), assuming: .unsatisfied, .all)
        device.feed(.displayLit)
        #expect(device.events().isEmpty, "it is not near")
        device.listen(1, to: [Device.beacon(3, 4)])
        let entries = device.events().filter { $0.number != nil }
        #expect(entries.map(\.identifier) == ["other"])
        let entry = try #require(entries.first)
        device.change(1, 2, .handled(try #require(entry.number)))
        device.pass(60)
        device.feed(.displayLit)
        let event = try #require(device.events().first)
        #expect(device.events().map(\.identifier) == ["till"])
        #expect(event.state == .satisfied && event.time == device.now.wall && event.refinement == Device.beacon(3, 4))
        device.feed(.displayLit)
        #expect(device.events().isEmpty, "it was not handled")
        device.change(1, 3, .handled(try #require(event.number)))
        #expect(device.events().isEmpty)
        device.feed(.displayLit)
        #expect(device.events().map(\.identifier) == ["till"])
    }

    @Test func aLitDisplayLaunchesTheAppThatIsGone() {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .satisfied, Notices([.entry, .exit, .display]))
        device.listen(1, to: [Device.beacon()])
        #expect(device.events().isEmpty)
        device.terminate()
        device.feed(.displayLit)
        #expect(device.relaunched == .location)
        device.connect(2, phase: .background, isManaged: true)
        device.readMonitor(2)
        #expect(device.events(2).map(\.state) == [.satisfied])
        device.feed(.clientVanished(ClientID(2)))
        device.listen(31)
        device.connect(3, phase: .background, isManaged: true)
        device.readMonitor(3)
        #expect(device.events(3).map(\.state) == [.unsatisfied], "what is over is no reminder any more")
    }

    @Test func aLitDisplayTellsNobodyWhoMayNotKnow() {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .satisfied, Notices([.exit, .display]))
        device.listen(1, to: [Device.beacon()])
        device.feed(.authorizationSet(Device.app, .never))
        device.feed(.displayLit)
        #expect(device.events().allSatisfy { $0.number == nil })
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.events().allSatisfy { $0.number == nil })
    }

    @Test func withoutAScannerItIsUnsupportedUntilThereIsOne() throws {
        var device = Device.monitoring()
        device.add("till", Device.near())
        let event = try #require(device.events().first)
        #expect(event.diagnostics == .conditionUnsupported && event.diagnostics.areOfUnmonitored && event.number == nil)
        #expect(!device.effects.contains(.sensor(.scanner, isOn: true)))
        #expect(device.status?.conditions.map(\.reasons) == [.conditionUnsupported])
        device.feed(.sensed(.ready(.scanner)))
        #expect(device.told(1)?.sensors[.scanner] == true)
        #expect(device.effects.contains(.sensor(.scanner, isOn: true)))
        device.listen(1, to: [Device.beacon()])
        #expect(device.events().map(\.state) == [.satisfied] && device.events().map(\.diagnostics) == [[]])
    }

    @Test func anAppThatWasTerminatedIsLaunchedForABeacon() {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .unsatisfied)
        device.terminate()
        device.listen(1, to: [Device.beacon()])
        #expect(device.relaunched == .location)
        device.connect(2, phase: .background, isManaged: true)
        device.readMonitor(2)
        #expect(device.opened(2)?.map(\.state) == [.unsatisfied])
        #expect(device.events(2).map(\.state) == [.satisfied] && device.events(2).first?.refinement == Device.beacon())
    }

    @Test func aRebootIsSilentAndForgetsNothing() throws {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .unsatisfied)
        device.listen(1, to: [Device.beacon(3, 4)])
        device.change(1, 2, .handled(try #require(device.events().first?.number)))
        var rebooted = device.rebooted()
        rebooted.feed(.sensed(.ready(.scanner)))
        rebooted.connect(1, isManaged: true)
        rebooted.readMonitor(1)
        let report = try #require(rebooted.opened()?.first)
        #expect(report.condition == Device.near() && report.state == .satisfied)
        #expect(report.refinement == Device.beacon(3, 4))
        rebooted.listen(20, to: [Device.beacon(3, 4)])
        #expect(rebooted.events().isEmpty)
        rebooted.listen(31)
        #expect(rebooted.events().map(\.state) == [.unsatisfied])
    }

    @Test func anEventThatWaitedOverARebootStillNamesItsBeacon() {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .unsatisfied)
        device.listen(1, to: [Device.beacon(3, 4)])
        var rebooted = device.rebooted()
        rebooted.feed(.sensed(.ready(.scanner)))
        rebooted.connect(1, isManaged: true)
        rebooted.readMonitor(1)
        #expect(rebooted.events().map(\.refinement) == [Device.beacon(3, 4)])
    }

    @Test func theLimitIsForBeaconsAlone() {
        var device = Device.scanning()
        for number in 0..<20 { device.add("c\(number)", Device.circle(north: 10_000 + Double(number) * 500)) }
        for number in 0..<22 { device.add("b\(number)", Device.near(UInt16(number))) }
        let reasons = device.status?.conditions.map(\.reasons) ?? []
        #expect(reasons.prefix(40).allSatisfy { $0.isEmpty })
        #expect(Array(reasons.suffix(2)) == [.conditionLimitExceeded, .conditionLimitExceeded])
        device.change(1, 2, .remove(identifier: "b3"))
        device.listen(1, to: [Device.beacon(20)])
        #expect(device.events().map(\.identifier) == ["b20"])
    }

    @Test func reducedAccuracySuspendsAndNothingIsScanned() {
        var device = Device.scanning()
        device.add("till", Device.near(), assuming: .unsatisfied)
        device.feed(.accuracySet(Device.app, precise: false))
        #expect(device.events().map(\.diagnostics) == [.accuracyLimited])
        #expect(device.pass(31).contains(.sensor(.scanner, isOn: false)))
        device.scan(Device.beacon())
        #expect(device.events().isEmpty)
    }

    @Test func theScannerIsOffOnceTheLastConditionIsGone() {
        var device = Device.scanning()
        device.add("a", Device.near(1))
        device.add("b", Device.near(1))
        device.change(1, 2, .remove(identifier: "a"))
        #expect(!device.pass(60).contains(.sensor(.scanner, isOn: false)))
        device.listen(1, to: [Device.beacon()])
        #expect(device.events().map(\.identifier) == ["b"])
        device.change(1, 3, .remove(identifier: "b"))
        #expect(device.pass(60).contains(.sensor(.scanner, isOn: false)))
    }

    @Test func aRegionIsToldOfTheCrossingsThatItWants() throws {
        var device = Device.scanning()
        device.readMonitor(1, Declaration.Monitor.ofRegions)
        device.add("shop", Device.near(), [.exit])
        device.listen(1, to: [Device.beacon()])
        #expect(device.events().map(\.state) == [.satisfied] && device.events().first?.number == nil, "known, no event")
        device.listen(31)
        let event = try #require(device.events().first)
        #expect(event.state == .unsatisfied && event.number != nil)
        #expect(device.status?.conditions.map(\.monitor) == [nil])
    }
}
