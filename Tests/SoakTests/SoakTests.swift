internal import Testing

@testable internal import soak

/// Runs the short form of the soak test; `make soak` runs the full one.
@Suite struct SoakTests {
    /// Goal: whatever is killed, each accepted push is delivered once, is replaced by a newer one, or expires.
    @Test(.timeLimit(.minutes(5))) func everyPushIsAccountedFor() async throws {
        let report = try await Soak(duration: .seconds(20), devicesCount: 8, seed: 1).run()
        #expect(report.complaints.isEmpty, "\(report)")
    }
}
