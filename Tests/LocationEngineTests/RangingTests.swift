internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for ranging: once a second, the nearest beacon first, for authorized apps, while a scanner listens.
@Suite struct RangingTests {
    @Test func beaconsAreReportedOnceASecondTheNearestFirst() throws {
        var device = Device.ranging()
        #expect(device.effects.contains(.sensor(.scanner, isOn: true)))
        for _ in 0..<5 {
            device.pass(0.5)
            device.scan(Device.beacon(1, 1), rssi: -79)
            device.scan(Device.beacon(1, 2), rssi: -53)
        }
        let reports = device.listen(10, to: [Device.beacon(1, 1)], rssi: -79).count { effect in
            if case .tell(_, .update) = effect { true } else { false }
        }
        #expect(reports == 10)
        let last = try #require(device.reports().first)
        #expect(last.map(\.beacon.minor) == [2, 1])
        #expect(last.map(\.distance) == [501, 10_000])
        #expect(last.map(\.proximity) == [.near, .far])
        #expect(last.map(\.rssi) == [-53, -79])
        let gone = try #require(device.reports().last)
        #expect(gone.map(\.beacon.minor) == [1, 2], "one of unknown distance comes last")
        #expect(gone[1].proximity == .unknown && gone[1].distance == nil && gone[1].rssi == 0)
        device.listen(5, to: [Device.beacon(1, 1)])
        #expect(device.reports().last?.map(\.beacon.minor) == [1], "after ten seconds it is not listed")
    }

    @Test func noBeaconIsAReportToo() {
        var device = Device.ranging()
        device.listen(4)
        #expect(device.reports() == [[], [], []] || device.reports() == [[], [], [], []])
    }

    @Test func eachStreamHasItsOwnBeacons() {
        let (any, one) = (BeaconIdentity(uuid: Device.shop), BeaconIdentity(uuid: Device.shop, major: 1, minor: 2))
        var device = Device.ranging([any, one])
        let stranger = Beacon(uuid: Beacon.OwnerID(high: 1, low: 2), major: 1, minor: 2)
        device.listen(3, to: [Device.beacon(1, 1), Device.beacon(1, 2), stranger])
        #expect(device.reports(to: 20).last?.map(\.beacon) == [Device.beacon(1, 1), Device.beacon(1, 2)])
        #expect(device.reports(to: 21).last?.map(\.beacon) == [Device.beacon(1, 2)])
    }

    /// Goal: a single weak reception does not change a beacon's distance.
    @Test func aDistanceIsTheMedianOfFiveSeconds() {
        var device = Device.ranging()
        device.listen(5, to: [Device.beacon()], rssi: -59)
        device.listen(1, to: [Device.beacon()], rssi: -99)
        device.listen(1, to: [Device.beacon()], rssi: -59)
        #expect(device.reports().last?.map(\.distance) == [1000])
        device.listen(8, to: [Device.beacon()], rssi: -79)
        #expect(device.reports().last?.map(\.distance) == [10_000])
    }

    @Test(arguments: [
        (Int8(-59), Int8(-59), Int64(1000)), (-79, -59, 10_000), (-65, -59, 1995), (-53, -59, 501), (-39, -59, 100),
        (-19, -59, 10), (127, -128, 1), (-128, 127, 5_623_000_000_000_000), (-99, -59, 100_000),
    ])
    func aDistanceFollowsFromTheLoss(rssi: Int8, measuredPower: Int8, distance: Int64) {
        #expect(PathLoss.distance(rssi: rssi, measuredPower: measuredPower) == distance)
    }

    @Test func theStrengthAtADistanceIsTheWeakestThatTellsIt() {
        for metres in [1, 2, 3, 10, 63, 500] {
            let rssi = PathLoss.rssi(at: Int64(metres) * 1000, measuredPower: -59) ?? 0
            #expect(PathLoss.distance(rssi: rssi, measuredPower: -59) <= metres * 1000)
            #expect(PathLoss.distance(rssi: rssi - 1, measuredPower: -59) > metres * 1000)
        }
        #expect(PathLoss.rssi(at: .max, measuredPower: -59) == nil)
    }

    // MARK: Leave to know

    @Test func whoIsRefusedHearsWhyAndTheScannerIsOff() {
        var device = Device.ranging(setting: .never)
        #expect(device.updates(to: 1).map(\.diagnostics) == [.authorizationDenied])
        #expect(!device.effects.contains(.sensor(.scanner, isOn: true)))
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.listen(3, to: [Device.beacon()])
        #expect(device.reports().last?.count == 1)
    }

    @Test func whoMayKnowApproximatelyRangesNothing() {
        var device = Device.ranging()
        device.listen(3, to: [Device.beacon()])
        device.feed(.accuracySet(Device.app, precise: false))
        #expect(device.updates(to: 1).map(\.diagnostics) == [.accuracyLimited])
        device.listen(3, to: [Device.beacon()])
        #expect(device.reports().isEmpty)
    }

    @Test func whileUsingEndsWithTheUse() {
        var device = Device.ranging()
        device.listen(3, to: [Device.beacon()])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(6)
        device.listen(10, to: [Device.beacon()])
        #expect(device.reports().isEmpty)
    }

    @Test func rangingNeitherLaunchesNorWakes() {
        var device = Device.ranging(setting: .always)
        device.listen(3, to: [Device.beacon()])
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        device.listen(10, to: [Device.beacon()])
        #expect(device.reports().isEmpty && device.status?.process == .suspended)
        device.terminate()
        device.listen(10, to: [Device.beacon()])
        #expect(device.relaunched == nil)
        #expect(device.engine.sensors[.scanner].isOff)
    }

    // MARK: The scanner

    /// Goal: the scanner is off if no app can receive beacons; a resumed app ranges again at once.
    @Test func theScannerIsOffWhileTheOnlyAppThatRangesIsStopped() {
        var device = Device.ranging(setting: .always)
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        #expect(device.engine.sensors[.scanner].isOff && device.engine.ranging.survey == nil)
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.effects.contains(.sensor(.scanner, isOn: true)))
        device.listen(2, to: [Device.beacon()])
        #expect(device.reports().last?.count == 1)
    }

    @Test func aConditionKeepsTheScannerOnForAStoppedApp() {
        var device = Device.scanning()
        device.add("door", Device.near())
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended && !device.engine.sensors[.scanner].isOff)
    }

    @Test func withoutAScannerItIsUnavailable() {
        var device = Device(.whileUsing)
        device.connect(1, isManaged: true)
        #expect(device.told(1)?.sensors[.scanner] == false)
        device.range([BeaconIdentity(uuid: Device.shop)])
        #expect(device.updates(to: 1).map(\.diagnostics) == [.rangingUnavailable])
        #expect(!device.effects.contains(.sensor(.scanner, isOn: true)))
        device.feed(.sensed(.ready(.scanner)))
        #expect(device.effects.contains(.sensor(.scanner, isOn: true)))
        device.listen(2, to: [Device.beacon()])
        #expect(device.reports().last?.count == 1)
    }

    /// Goal: the device does not wait forever for a feed that nothing connects to.
    @Test func aScannerThatNeverListensIsUnavailable() {
        var device = Device.ranging()
        device.effects = device.pass(11)
        #expect(device.updates(to: 1).map(\.diagnostics) == [.rangingUnavailable])
    }

    @Test func aScannerThatIsGoneOrSilentIsUnavailableUntilItListens() {
        var device = Device.ranging()
        device.listen(3, to: [Device.beacon()])
        device.feed(.sensed(.lost(.scanner)))
        #expect(device.updates(to: 1).map(\.diagnostics) == [.rangingUnavailable])
        device.feed(.sensed(.ready(.scanner)))
        #expect(device.reports().isEmpty, "the survey of before it was gone is told again")
        device.listen(3, to: [Device.beacon()])
        #expect(device.reports().last?.count == 1)
        device.effects = device.pass(7)
        #expect(device.updates(to: 1).map(\.diagnostics).last == .rangingUnavailable)
    }

    /// Goal: a transmitter that invents a beacon with each packet uses no additional memory, and hides no known beacon.
    @Test func aFloodOfBeaconsIsBounded() {
        var device = Device.ranging()
        device.listen(1, to: [Device.beacon(7, 7)])
        for second in 0..<3 {
            device.pass(1)
            for number in 0..<1000 { device.scan(Device.beacon(UInt16(second), UInt16(number)), rssi: -80) }
            device.scan(Device.beacon(7, 7), rssi: -59)
        }
        device.listen(1)
        let report = device.reports().last ?? []
        #expect(report.count == BeaconRanging.beaconsMax && report.first?.beacon == Device.beacon(7, 7))
        device.listen(15)
        #expect(device.reports().last == [])
    }
}
