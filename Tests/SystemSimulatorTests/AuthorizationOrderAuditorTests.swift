internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

@testable internal import SystemSimulator

/// Tests the auditor that checks whether an app receives a decision before its consequences.
@Suite struct AuthorizationOrderAuditorTests {
    private let world = Simulation(.fleet(devices: 1, minutes: 1), keepsLines: false, takesCensus: false)
    private var device: DeviceNode { self.world.devices[0] }
    private let client = ClientID(1)

    private func tell(_ status: Authorization.Status) {
        self.world.auditors.order.told(.init(authorization: status), to: self.client, self.device)
    }

    private func give(_ reasons: UpdateDiagnostics) {
        let process = SimulatedProcess(Names.bundle(0), .app, .foreground, .user, on: self.device)
        self.world.auditors.order.given(.unavailable(reasons), to: self.client, of: process)
    }

    private func decide(_ setting: Authorization.Setting) {
        let change = SettingsChange(bundle: Names.bundle(0), location: setting)
        self.world.auditors.will.deviceWill(.ordered(.change(change), OrderID(1)), self.device)
    }

    @Test func theChangeMayComeFirst() {
        self.tell(.notDetermined)
        self.give(.insufficientlyInUse)
        self.decide(.never)
        self.tell(.denied)
        self.give(.authorizationDenied)
        #expect(self.world.violation == nil)
    }

    @Test func anErrorBeforeTheChangeIsFound() {
        self.tell(.notDetermined)
        self.decide(.never)
        self.give(.authorizationDenied)
        #expect(self.world.violation?.what.contains("an error before its change") == true)
    }

    @Test func anErrorBeforeAnyAuthorizationIsFound() {
        self.give(.insufficientlyInUse)
        #expect(self.world.violation?.what.contains("the app had received no authorization") == true)
    }
}
