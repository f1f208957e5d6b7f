internal import FakeAPNS
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsSharingServer
internal import WhereaboutsTestKit

/// Tests for the sharing server's connection to a push service, over HTTP/2.
@Suite struct PushSenderTests {
    @Test(.timeLimit(.minutes(1)), arguments: PushSenderRule.allCases)
    func theSenderToAPNsKeepsTheRules(_ rule: PushSenderRule) async throws {
        let service = try await FakeAPNS.start()
        let client = try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: service.port),
                keys: [SigningKey(teamID: GatewayRig.teamID, keyID: GatewayRig.keyID, privateKey: GatewayRig().key)],
                trustRoots: .file(service.authorityPath)
            ),
            logger: GatewayRig.logger
        )
        try await rule.check(APNSPushSender(client: client)) { reply in
            switch reply {
            case .accept: service.doNext(.accept())
            case .reject(let reason):
                service.doNext(.reject(status: reason.status, body: #"{"reason":"\#(reason.rawValue)"}"#))
            case .hangUp: service.doNext(.hangUp)
            }
        }
        await client.shutdown()
        try await service.stop()
    }
}
