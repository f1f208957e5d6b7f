internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// An app that fills the disk: a refusal that its owner decided meanwhile was gone after a crash.
enum FullDisk: Attack {
    typealias Scene = SystemScene

    static let name = "full-disk"
    static let row = "as such an app: to undo a refusal, or stop others, by filling the disk"
    static let attempt = "as an app, fill the disk while the owner decides about it, up to a crash of locationd"

    static var obstacle: String? { SystemScene.obstacle }

    static func strike(_ scene: SystemScene, _ bounds: Bounds) async throws -> String {
        let app = SystemScene.hostile
        try await scene.decide(.always)
        try await scene.wait(for: "a full disk") {
            var status = statvfs()
            if unsafe statvfs(scene.seen(""), &status) == 0, status.f_bavail == 0 { return true }
            // locationd may end the app before the disk is full, or before the app is reported as running.
            try? await scene.run(app, "fill")
            return false
        }
        var decisions = 0
        func decide() async throws {
            for location in [WireAppSettings.Location.always, .never] {
                guard try await scene.decide(location) == location else {
                    throw ChannelFailure(words: "a decision did not hold")
                }
                decisions += 1
            }
        }
        while !bounds.isOver {
            try await decide()
            try await Task.sleep(for: .milliseconds(5))
        }
        // locationd looks at the disk when it saves a decision.
        try await scene.wait(for: "the end of the app that fills the disk") {
            try await decide()
            let reply = try await scene.order(.with { $0.status = .init() })
            return reply.status.apps.contains { $0.bundle == app && $0.pid == 0 }
        }
        try await scene.crash()
        guard try await scene.decide() == .never else {
            throw ChannelFailure(words: "a crash undid the owner's refusal")
        }
        try await scene.uninstall(app)
        return "\(decisions) decisions on a full disk, the last one kept over a crash"
    }
}
