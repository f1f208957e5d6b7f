internal import Testing
internal import WhereaboutsSharingEngine

@testable internal import SystemSimulator

/// Tests the auditor of honest requests, in a world without faults.
@Suite struct ServiceAuditorTests {
    private let world = Simulation(.fleet(devices: 1, minutes: 1), keepsLines: false, takesCensus: false)

    /// Gives the app time to register, so that a request must be answered.
    init() {
        for node in self.world.nodes { node.start() }
        self.world.planActs()
        self.pass(.seconds(60))
    }

    private func pass(_ time: Duration) { self.world.run(until: self.world.now.advanced(by: time)) }

    @Test func aRequestThatFailsIsFound() {
        let hear = self.world.auditors.service.asked(0, .full)
        hear(.expired, nil)
        #expect(self.world.violation?.what.contains("under grant 0 ended as expired") == true)
    }

    @Test func aLateAnswerIsFound() {
        let hear = self.world.auditors.service.asked(0, .full)
        self.pass(ServiceAuditor.patience)
        hear(.answered, nil)
        #expect(self.world.violation == nil)
        self.pass(.milliseconds(1))
        hear(.answered, nil)
        #expect(self.world.violation?.what.contains("under grant 0 ended as answered") == true)
    }
}
