internal import Foundation

/// A container that changes while it is removed: root emptied a folder of its own, and left deep folders without a message.
enum RacingRemovals: Attack {
    typealias Scene = SystemScene

    static let name = "racing-removals"
    static let row =
        "to make root act on others' files by links, deep folders and pipes in its container, or use it as a profile"
    static let attempt = "as two apps, exchange folders for links to root's while one is removed with 3,000 nested ones"

    static var obstacle: String? { SystemScene.obstacle }

    static func strike(_ scene: SystemScene, _ bounds: Bounds) async throws -> String {
        let files = FileManager.default
        let roots = "\(scene.directory)/roots"
        try files.createDirectory(
            atPath: roots,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for number in 0..<10 { try Data().write(to: URL(filePath: "\(roots)/\(number)")) }
        let (hostile, other) = (SystemScene.hostile, SystemScene.other)
        try await scene.run(hostile, "swap", scene.state(scene.container(of: other)), roots)
        var removals = 0
        repeat {
            try await scene.install(other)
            try await scene.run(other, "nest")
            try await scene.wait(for: "the nesting") { !scene.marks(of: other).isEmpty }
            let swaps = scene.marks(of: hostile).count
            try await scene.wait(for: "an exchange") { scene.marks(of: hostile).count > swaps }
            try await scene.uninstall(other)
            removals += 1
            let left = try files.contentsOfDirectory(atPath: roots).count
            guard left == 10 else { throw ChannelFailure(words: "root removed \(10 - left) files of its own") }
            let containers = try files.contentsOfDirectory(atPath: scene.seen("containers"))
            guard containers == [hostile] else { throw ChannelFailure(words: "still there: \(containers)") }
        } while !bounds.isOver
        try await scene.terminate(hostile)
        return "\(removals) removals, \(scene.marks(of: hostile).count) times exchanged"
    }
}
