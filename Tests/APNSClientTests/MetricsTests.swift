internal import FakeAPNS
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport

/// The client's counters.
@Suite(.timeLimit(.minutes(2))) struct MetricsTests {
    /// Goal: the outcome of each push is counted once, with its reason, however often the push was sent.
    @Test func everyEndIsCounted() async throws {
        let actions: [FakeAPNS.Action] = [
            .refuse, .accept(), .reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#), .breakStream,
        ]
        let server = try await FakeAPNS.start(actions)
        let registry = MetricsRegistry()
        let client = try APNSClient(
            configuration: Sender.configuration(of: server),
            logger: Sender.logger,
            metrics: registry
        )
        #expect(registry.page.contains(#"apns_client_pushes_rejected_total{reason="Unregistered"} 0"#))
        for _ in 0..<3 { _ = await client.send(try Sender.push()) }
        await client.shutdown()
        try await server.stop()
        let page = registry.page
        for line in [
            "apns_client_pushes_accepted_total 1", #"apns_client_pushes_rejected_total{reason="BadDeviceToken"} 1"#,
            "apns_client_pushes_failed_total 1", "apns_client_pushes_sent_again_total 1",
            "apns_client_push_duration_seconds_count 3",
        ] { #expect(page.contains(line + "\n"), "\(line) in \(page)") }
    }
}
