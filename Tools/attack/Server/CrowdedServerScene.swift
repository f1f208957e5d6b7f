/// A ``ServerScene`` whose server has few connections, so that a bounded attack makes them scarce.
struct CrowdedServerScene: AttackScene {
    /// The descriptors of the server: enough for a hundred connections and the server's files.
    private static let descriptors = 296

    let server: ServerScene
    /// A sharer that the strangers created, with a device that never answers.
    let accomplice: Accomplice

    static func start() async throws -> CrowdedServerScene {
        let server = try await ServerScene.start(descriptors: self.descriptors)
        do {
            return CrowdedServerScene(server: server, accomplice: try await Accomplice.start(server))
        } catch {
            await server.stop()
            throw error
        }
    }

    func honestAction() async throws { try await self.server.honestAction() }

    var pids: [Int32] { self.server.pids }

    func stop() async {
        await self.accomplice.stop()
        await self.server.stop()
    }
}
