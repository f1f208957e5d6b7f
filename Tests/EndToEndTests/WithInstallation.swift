internal import Rig

/// Runs a test with its own installation, which ends after the test.
///
/// - Parameter body: the test; it blocks, so it has a thread of its own.
/// - Throws: what the test throws, or the fault of an installation that cannot be made.
func withInstallation(_ body: @Sendable (Installation) throws -> Void) async throws {
    try await OwnThread.run {
        let installation = try Installation()
        defer {
            installation.stop()
            installation.workspace.remove()
        }
        try body(installation)
    }
}
