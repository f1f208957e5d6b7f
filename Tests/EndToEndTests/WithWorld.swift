internal import Rig

/// Runs a test in a world of its own, which ends with it.
///
/// - Parameter body: the test; it blocks, so it has a thread of its own.
/// - Throws: what the test throws, or the fault of a world that cannot be made.
func withWorld(_ body: @Sendable (World) throws -> Void) async throws {
    try await OwnThread.run {
        let world = try World()
        defer {
            world.stop()
            world.workspace.remove()
        }
        try body(world)
    }
}
