internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

@Suite struct MonitorTests {
    private let device = FakeDevice()
    private let client: LocationClient
    private let circle = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 53.5, longitude: -10),
        radius: 200
    )

    init() {
        self.client = LocationClient(transport: self.device)
    }

    private func tell(
        _ identifier: String,
        _ state: WireConditionState = .satisfied,
        number: UInt64 = 0,
        time: Int64 = 1_000_000,
        diagnostics: UInt32 = 0
    ) {
        let monitor = self.device.declaration?.monitors.first?.id ?? 0
        self.device.tell(
            .with {
                $0.monitorEvent = .with {
                    $0.monitor = monitor
                    $0.identifier = identifier
                    $0.state = state
                    $0.number = number
                    $0.time = time
                    $0.diagnostics = diagnostics
                }
            }
        )
    }

    /// The device confirms all changes so far.
    private func take() {
        for change in self.device.monitorChanges {
            self.device.tell(
                .with {
                    $0.monitorTaken = .with {
                        $0.monitor = change.monitor
                        $0.change = change.number
                    }
                }
            )
        }
    }

    private func open(_ records: [WireConditionRecord] = []) {
        let monitor = self.device.declaration?.monitors.first?.id ?? 0
        self.device.tell(
            .with {
                $0.monitorOpened = .with {
                    $0.monitor = monitor
                    $0.records = records
                }
            }
        )
    }

    private var handled: [UInt64] {
        self.device.monitorChanges.compactMap { if case .handled(let event) = $0.kind { event } else { nil } }
    }

    @Test func aConditionIsTheDevicesAndItsEventComesBack() async throws {
        let monitor = CLMonitor("m1", client: self.client)
        #expect(self.device.declaration?.monitors.map(\.name) == ["m1"])
        #expect(self.device.declaration?.monitors.first?.isRead == false)
        await monitor.add(self.circle, identifier: "home", assuming: .unsatisfied)
        guard case .add(let add)? = self.device.monitorChanges.last?.kind else { throw CancellationError() }
        #expect(
            add.circle.latitude == 535_000_000 && add.circle.longitude == -100_000_000 && add.circle.radius == 200_000
        )
        #expect(add.assuming == .unsatisfied && add.notices == 7)
        self.take()
        self.tell("home", number: 5)
        var iterator = await monitor.events.makeAsyncIterator()
        let event = try #require(try await iterator.next())
        #expect(event.identifier == "home" && event.state == .satisfied && event.date.timeIntervalSince1970 == 1)
        #expect(self.device.declaration?.monitors.first?.isRead == true)
        #expect(await monitor.record(for: "home")?.lastEvent.state == .unsatisfied, "it was not handled yet")
        #expect(self.handled == [])
        // The device sends the next event only after the first one was handled.
        let device = Task {
            await self.device.wait { !self.handled.isEmpty }
            self.tell("home", .unsatisfied, number: 6, time: 2_000_000)
        }
        #expect(try await iterator.next()?.state == .unsatisfied)
        await device.value
        #expect(self.handled == [5])
        #expect(await monitor.record(for: "home")?.lastEvent.state == .satisfied)
    }

    @Test func anEventThatALoopDidNotHandleComesInTheNext() async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(self.circle, identifier: "home")
        self.take()
        self.tell("home", number: 5)
        for try await event in await monitor.events {
            #expect(event.state == .satisfied)
            break
        }
        #expect(self.handled == [])
        var next = await monitor.events.makeAsyncIterator()
        #expect(try await next.next()?.state == .satisfied)
    }

    /// A monitor that is opened while locationd is away has its conditions once locationd is back.
    @Test func openingWaitsForTheService() throws {
        self.device.report(.disconnected)
        let replica = self.client.openMonitor("places")
        let isOpen = Atomic(false)
        _ = self.client.awaitOpening(of: replica.id) { _ in isOpen.store(true, ordering: .relaxed) }
        for event in [TransportEvent.connected, .disconnected, .connected] { self.device.report(event) }
        let isOpenBefore = isOpen.load(ordering: .relaxed)
        #expect(!isOpenBefore)
        self.open([
            .with {
                $0.identifier = "home"
                $0.circle = .with { $0.radius = 150_000 }
            }
        ])
        let isOpenAfter = isOpen.load(ordering: .relaxed)
        #expect(isOpenAfter && replica.identifiers == ["home"])
    }

    @Test func openingEndsWhenTheServiceRefuses() {
        let replica = self.client.openMonitor("places")
        let endings = Mutex(0)
        let wait = { self.client.awaitOpening(of: replica.id) { _ in endings.withLock { $0 += 1 } } }
        let counted = { endings.withLock(\.self) }
        #expect(wait() != nil && counted() == 0)
        self.device.tell(.with { $0.refusal = .with { $0.message = "not an app" } })
        #expect(counted() == 1)
        #expect(wait() == nil && counted() == 2)
    }

    @Test func recordsOfAnEarlierLaunchAreThereWhenItIsOpen() async throws {
        let opening = Task { [client] in await LocationClient.$ofTask.withValue(client) { await CLMonitor("places") } }
        await self.device.wait { self.device.declaration?.monitors.isEmpty == false }
        self.open([
            .with {
                $0.identifier = "home"
                $0.circle = .with {
                    $0.latitude = 535_000_000
                    $0.radius = 150_000
                }
                $0.state = .satisfied
                $0.time = 7_000_000
            }
        ])
        let monitor = await opening.value
        #expect(await monitor.identifiers == ["home"])
        let record = try #require(await monitor.record(for: "home"))
        #expect((record.condition as? CLMonitor.CircularGeographicCondition)?.radius == 150)
        #expect(record.lastEvent.state == .satisfied && record.lastEvent.date.timeIntervalSince1970 == 7)
    }

    @Test func aBrokenConnectionLosesNothingAndRepeatsNothing() async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(self.circle, identifier: "home")
        self.take()
        self.tell("home", number: 5)
        var iterator = await monitor.events.makeAsyncIterator()
        _ = try await iterator.next()
        await monitor.add(self.circle, identifier: "work")
        self.device.report(.disconnected)
        let before = self.device.monitorChanges.count
        self.device.report(.connected)
        #expect(self.device.monitorChanges.count == before + 1, "the change that was not taken is sent again")
        self.open([
            .with {
                $0.identifier = "home"
                $0.circle = .with {
                    $0.latitude = 535_000_000
                    $0.longitude = -100_000_000
                    $0.radius = 200_000
                }
            }
        ])
        #expect(await monitor.identifiers == ["home", "work"])
        // The same event has another number, but the loop is already handling it.
        self.tell("home", number: 1)
        self.take()
        self.tell("work", number: 2)
        #expect(try await iterator.next()?.identifier == "work")
        #expect(self.handled == [1])
        // The event was handled, but the device was not notified.
        self.tell("home", number: 3)
        #expect(self.handled == [1, 3])
    }

    @Test func reasonsAreToldAndNeedNoHandling() async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(self.circle, identifier: "home", assuming: .satisfied)
        self.take()
        self.tell("home", .unmonitored, diagnostics: 1 << 9)
        self.tell("home", .satisfied, diagnostics: 1 << 10)
        var iterator = await monitor.events.makeAsyncIterator()
        let event = try #require(try await iterator.next())
        #expect(event.persistenceUnavailable && event.state == .satisfied, "newer reasons take the place of older ones")
        await monitor.add(self.circle, identifier: "work")
        self.device.tell(
            .with {
                $0.monitorTaken = .with {
                    $0.monitor = self.device.declaration?.monitors.first?.id ?? 0
                    $0.change = self.device.monitorChanges.last?.number ?? 0
                    $0.refused = true
                }
            }
        )
        let refused = try #require(try await iterator.next())
        #expect(refused.identifier == "work" && refused.state == .unmonitored && refused.conditionLimitExceeded)
        #expect(self.handled == [])
    }

    @Test(arguments: [Double.nan, .infinity, 1e9]) func aRadiusThatIsNoneIsUnsupported(_ radius: Double) async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(
            CLMonitor.CircularGeographicCondition(center: self.circle.center, radius: radius),
            identifier: "a"
        )
        var iterator = await monitor.events.makeAsyncIterator()
        #expect(try await iterator.next()?.conditionUnsupported == true)
        #expect(self.device.monitorChanges.allSatisfy { if case .add = $0.kind { false } else { true } })
    }

    @Test func aConditionOfAnAppsOwnKindIsUnsupported() async throws {
        struct Weather: CLCondition {}
        let monitor = CLMonitor("m1", client: self.client)
        await monitor.add(Weather(), identifier: "a", assuming: .satisfied)
        #expect(await monitor.identifiers == ["a"])
        var iterator = await monitor.events.makeAsyncIterator()
        let event = try #require(try await iterator.next())
        #expect(event.identifier == "a" && event.state == .unmonitored)
        #expect(event.conditionUnsupported && !event.conditionLimitExceeded && event.refinement == nil)
        #expect(await monitor.record(for: "a")?.lastEvent.state == .satisfied, "the record is not advanced")
        #expect(await monitor.record(for: "c") == nil)
    }

    @Test func anEventOfABeaconNamesTheOneThatWasReceived() async throws {
        let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        let monitor = CLMonitor("m1", client: self.client)
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1), identifier: "a")
        guard case .add(let add)? = self.device.monitorChanges.last?.kind else { throw CancellationError() }
        #expect(add.beacon.uuidHigh == 0xE2C5_6DB5_DFFB_48D2 && add.beacon.uuidLow == 0xB060_D0F5_A710_96E0)
        #expect(add.beacon.hasMajor && add.beacon.major == 1 && !add.beacon.hasMinor)
        self.take()
        var told = WireMonitorEvent.with {
            $0.monitor = self.device.declaration?.monitors.first?.id ?? 0
            $0.identifier = "a"
            $0.state = .satisfied
            $0.number = 4
        }
        told.refinement = add.beacon
        told.refinement.minor = 9
        self.device.tell(.with { $0.monitorEvent = told })
        var iterator = await monitor.events.makeAsyncIterator()
        let event = try #require(try await iterator.next())
        let beacon = try #require(event.refinement as? CLMonitor.BeaconIdentityCondition)
        #expect(beacon.uuid == uuid && beacon.major == 1 && beacon.minor == 9)
        #expect(await monitor.record(for: "a")?.condition is CLMonitor.BeaconIdentityCondition)
    }

    @Test func anIdentifierAddedAgainReplacesItsConditionAndItsEvent() async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "a")
        await monitor.add(self.circle, identifier: "a")
        self.tell("a", number: 4)
        self.take()
        await monitor.add(self.circle, identifier: "gone")
        self.take()
        self.tell("gone", number: 5)
        await monitor.remove("gone")
        await monitor.remove("never there")
        self.tell("gone", number: 6)
        self.tell("a", .unsatisfied, number: 7)
        #expect(await monitor.record(for: "a")?.condition is CLMonitor.CircularGeographicCondition)
        var iterator = await monitor.events.makeAsyncIterator()
        let event = try await iterator.next()
        #expect(event?.identifier == "a" && event?.state == .unsatisfied)
    }

    @Test func theSameConditionAgainKeepsItsEvent() async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(self.circle, identifier: "a")
        self.take()
        self.tell("a", number: 4)
        await monitor.add(self.circle, identifier: "a", assuming: .unsatisfied)
        var iterator = await monitor.events.makeAsyncIterator()
        #expect(try await iterator.next()?.state == .satisfied)
    }

    @Test func monitorsOfOneNameShareTheirRecordsAndCloseWithTheLast() async {
        do {
            let first = CLMonitor("shared", client: self.client)
            let second = CLMonitor("shared", client: self.client)
            await first.add(self.circle, identifier: "a")
            #expect(await second.identifiers == ["a"])
            #expect(await CLMonitor("other", client: self.client).identifiers == [])
            #expect(self.device.declaration?.monitors.map(\.name) == ["shared"])
        }
        #expect(self.device.declaration?.monitors == [])
    }

    @Test func waitingLoopsEndWithTheirTasks() async {
        let events = await CLMonitor("m", client: self.client).events
        let tasks = (0..<8).map { _ in
            Task {
                var iterator = events.makeAsyncIterator()
                return try await iterator.next() == nil
            }
        }
        for task in tasks { task.cancel() }
        for task in tasks { #expect((try? await task.value) == true) }
    }

    @Test func aNameThatIsNoNameTraps() async {
        await #expect(processExitsWith: .failure) { _ = await CLMonitor("_secret") }
        await #expect(processExitsWith: .failure) { _ = await CLMonitor("") }
    }

    @Test func conditionsCanBeStored() throws {
        let data = try JSONEncoder().encode(self.circle)
        let circle = try JSONDecoder().decode(CLMonitor.CircularGeographicCondition.self, from: data)
        #expect(circle.center.latitude == 53.5 && circle.center.longitude == -10 && circle.radius == 200)
        let uuid = UUID()
        for beacon in [
            CLMonitor.BeaconIdentityCondition(uuid: uuid),
            CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1),
            CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1, minor: .max),
        ] {
            let data = try JSONEncoder().encode(beacon)
            let read = try JSONDecoder().decode(CLMonitor.BeaconIdentityCondition.self, from: data)
            #expect(read.uuid == uuid && read.major == beacon.major && read.minor == beacon.minor)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CLMonitor.CircularGeographicCondition.self, from: data.prefix(10))
        }
        #expect(throws: DecodingError.self) {
            let text = #"{"uuid": "no"}"#
            return try JSONDecoder().decode(CLMonitor.BeaconIdentityCondition.self, from: Data(text.utf8))
        }
    }
}
