internal import CoreLocation
internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationApp

/// A device that sends what the test says.
private final class Device: Transport {
    private let receive = Mutex<(@Sendable (TransportEvent) -> Void)?>(nil)
    private let told = Mutex<[WireClientMessage]>([])
    private let isThere: Bool

    init(isThere: Bool = true) {
        self.isThere = isThere
    }

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        self.receive.withLock { $0 = receive }
        guard self.isThere else { return receive(.disconnected) }
        receive(.connected)
        self.enter(.foreground)
    }

    func send(_ message: WireClientMessage) { self.told.withLock { $0.append(message) } }

    func enter(_ phase: WirePhase) {
        self.receive.withLock { $0 }?(
            .message(.with { $0.state = .with { ($0.phase, $0.declarationsMax) = (phase, 256) } })
        )
    }

    func reconnect() {
        self.receive.withLock { $0 }?(.disconnected)
        self.receive.withLock { $0 }?(.connected)
    }

    var titles: [String] {
        self.told.withLock { $0.last?.declaration.activities.map(\.liveActivity.title) ?? [] }
    }

    var phases: [WirePhase] {
        self.told.withLock { told in
            told.compactMap { if case .phaseReport(let report) = $0.body { report.phase } else { nil } }
        }
    }
}

@Suite struct LocationAppTests {
    private let device = Device()
    private let client: LocationClient

    init() {
        self.client = LocationClient(transport: self.device)
    }

    @Test func phasesBeginWithThePresentOneAndTellEveryChange() async {
        var iterator = AppLifecycle.Phases(client: self.client).makeAsyncIterator()
        #expect(await iterator.next() == .foreground)
        self.device.enter(.foreground)
        self.device.enter(.background)
        #expect(await iterator.next() == .background)
    }

    @Test func eightLoopsEndWithTheirTasks() async {
        let phases = AppLifecycle.Phases(client: self.client)
        let tasks = (0..<8).map { _ in
            Task {
                var count = 0
                for await _ in phases { count += 1 }
                return count
            }
        }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value <= 1) }
    }

    @Test func aPhaseThatTheProcessSaidIsSaidAgainOnANewConnection() {
        self.client.reportPhase(.background)
        self.device.reconnect()
        #expect(self.device.phases == [.background, .background])
    }

    @Test func aLiveActivityIsDeclaredChangedAndEnded() throws {
        var activity: LiveActivity? = try LiveActivity.start(title: "Ride", client: self.client)
        #expect(self.device.titles == ["Ride"])
        try activity?.update(title: "Ride, 2 km left")
        #expect(self.device.titles == ["Ride, 2 km left"])
        let same = activity
        activity = nil
        #expect(self.device.titles == ["Ride, 2 km left"])
        same?.end()
        #expect(self.device.titles == [])
        try same?.update(title: "Again")
        #expect(self.device.titles == [])
    }

    @Test func aLiveActivityOutlivesItsObject() throws {
        do { _ = try LiveActivity.start(title: "Ride", client: self.client) }
        #expect(self.device.titles == ["Ride"])
    }

    @Test func itStartsInTheForegroundOnlyAndIsTakenUpAnywhere() throws {
        self.device.enter(.background)
        #expect(throws: LiveActivityError.notInForeground) {
            try LiveActivity.start(title: "Ride", client: self.client)
        }
        #expect(self.device.titles == [])
        try LiveActivity.resume(title: "Ride", client: self.client).end()
        let alone = LocationClient(transport: Device(isThere: false))
        #expect(throws: LiveActivityError.unreachable) { try LiveActivity.start(title: "Ride", client: alone) }
        #expect(throws: LiveActivityError.unreachable) { try LiveActivity.resume(title: "Ride", client: alone) }
    }

    @Test(arguments: [0, 129, 1_000_000]) func aTitleHasBounds(_ bytes: Int) throws {
        let title = String(repeating: "a", count: bytes)
        let error = #expect(throws: LiveActivityError.self) {
            try LiveActivity.start(title: title, client: self.client)
        }
        #expect(error?.description.contains("\(bytes)") == true)
        let longest = String(repeating: "a", count: LiveActivity.titleBytesMax)
        let activity = try LiveActivity.start(title: longest, client: self.client)
        #expect(throws: LiveActivityError.self) { try activity.update(title: title) }
        #expect(self.device.titles == [longest])
    }
}
