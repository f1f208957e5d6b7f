internal import Foundation
internal import Testing

@testable internal import CoreLocation

@Suite struct MonitorTests {
    private let client = LocationClient(transport: FakeDevice())
    private let circle = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 53.5, longitude: -10),
        radius: 200
    )

    @Test func everyConditionIsUnsupportedForNow() async throws {
        let monitor = CLMonitor("m1", client: self.client)
        await monitor.add(self.circle, identifier: "b")
        await monitor.add(
            CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 1),
            identifier: "a",
            assuming: .satisfied
        )
        #expect(await monitor.identifiers == ["a", "b"])
        var iterator = await monitor.events.makeAsyncIterator()
        for identifier in ["b", "a"] {
            let event = try #require(try await iterator.next())
            #expect(event.identifier == identifier && event.state == .unmonitored)
            #expect(event.conditionUnsupported && !event.conditionLimitExceeded && event.refinement == nil)
        }
        #expect(await monitor.record(for: "a")?.lastEvent.state == .satisfied, "the record is not advanced")
        #expect(await monitor.record(for: "b")?.lastEvent.state == .unknown)
        #expect(await monitor.record(for: "c") == nil)
    }

    @Test func anIdentifierAddedAgainReplacesItsConditionAndItsEvent() async throws {
        let monitor = CLMonitor("m", client: self.client)
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "a")
        await monitor.add(self.circle, identifier: "a")
        await monitor.add(self.circle, identifier: "gone")
        await monitor.remove("gone")
        await monitor.remove("never there")
        await monitor.add(self.circle, identifier: "b")
        #expect(await monitor.record(for: "a")?.condition is CLMonitor.CircularGeographicCondition)
        var iterator = await monitor.events.makeAsyncIterator()
        #expect(try await iterator.next()?.identifier == "a")
        #expect(try await iterator.next()?.identifier == "b")
    }

    @Test func monitorsOfOneNameShareTheirRecords() async {
        await CLMonitor("shared", client: self.client).add(self.circle, identifier: "a")
        #expect(await CLMonitor("shared", client: self.client).identifiers == ["a"])
        #expect(await CLMonitor("other", client: self.client).identifiers == [])
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
