internal import APNS
internal import SharingServer
internal import Testing
internal import WhereaboutsTestKit

/// The sharing server's way to a push service, over HTTP/2.
@Suite struct PushSenderTests {
    @Test(.timeLimit(.minutes(1)), arguments: PushSenderRule.allCases)
    func theSenderToAPNsKeepsTheRules(_ rule: PushSenderRule) async throws {
        let rig = try GatewayRig()
        let service = FakeAPNS([])
        try await service.withClient(rig) { client in
            try await rule.check(APNSPushSender(client: client)) { reply in
                switch reply {
                case .accept: service.doNext(.accept)
                case .reject(let reason):
                    service.doNext(.reject(status: reason.status, body: #"{"reason":"\#(reason.rawValue)"}"#))
                case .hangUp: service.doNext(.hangUp)
                }
            }
        }
    }
}
