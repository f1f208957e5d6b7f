internal import Crypto
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

@testable internal import WhereaboutsPushGateway

/// Tests our client with a gateway that behaves as observed from APNs.
@Suite struct StrictnessTests {
    let rig: GatewayRig
    let device = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try GatewayRig()
    }

    /// Goal: each push completes, although every rejection reduces the number of streams to one.
    @Test func rejectionsAmongManyPushesHoldNothingUp() async throws {
        try await self.rig.withGateway(isStrict: true) { gateway in
            let device = try self.rig.device(gateway, key: self.device)
            let token = try await device.register()
            let provider = try self.rig.provider(gateway)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    let isBad = number % 10 == 3
                    let push = try self.rig.push(isBad ? [7, 7] : token)
                    group.addTask {
                        switch await provider.send(push) {
                        case .accepted: return !isBad
                        case .rejected(let rejected): return isBad && rejected.reason == .badDeviceToken
                        case .failed: return false
                        }
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            await provider.shutdown()
            try await device.disconnect()
        }
    }
}
