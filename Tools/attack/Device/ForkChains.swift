/// Processes that fork their successors and end: they used up the machine's process IDs, and locationd could carry out no order.
enum ForkChains: Attack {
    typealias Scene = SystemScene

    static let name = "fork-chains"
    static let row = "with its own user: to use up the machine's processes, or survive its end"
    static let attempt = "as an app, fork chains of processes that each leave their session, fork the next one and end"

    static var obstacle: String? { SystemScene.obstacle }

    static func strike(_ scene: SystemScene, _ bounds: Bounds) async throws -> String {
        let chains = min(60, bounds.connectionsMax / 8)
        // locationd ends the app, perhaps before the app is reported as running.
        try? await scene.run(SystemScene.hostile, "chains", "\(chains)")
        while !bounds.isOver { try await Task.sleep(for: .milliseconds(20)) }
        let links = scene.marks(of: SystemScene.hostile).count
        try? await scene.terminate(SystemScene.hostile)
        let left = scene.processesOfApps()
        guard left == 0 else { throw ChannelFailure(words: "\(left) processes of the app outlived its end") }
        guard links > chains else { throw ChannelFailure(words: "the app made \(links) processes only") }
        return "\(chains) chains, \(links) processes"
    }
}
