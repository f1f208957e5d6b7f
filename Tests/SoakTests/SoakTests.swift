internal import Testing

@testable internal import soak

/// The short form of the soak; `make soak` runs the whole one.
@Suite struct SoakTests {
    /// Goal: whatever dies, each push that was taken comes once, or one that is newer came, or its time was over.
    @Test(.timeLimit(.minutes(5))) func everyPushIsAccountedFor() async throws {
        let report = try await Soak(duration: .seconds(20), devicesCount: 8, seed: 1).run()
        #expect(report.complaints.isEmpty, "\(report)")
    }
}
