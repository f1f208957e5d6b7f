internal import Foundation
internal import Rig
internal import WhereaboutsLocationWireMessages

/// gpsd's shared memory, which every user of the machine may read: an app that was denied read each position in it.
enum SharedMemory: Attack {
    typealias Scene = SystemScene

    static let name = "shared-memory"
    static let row = "as such an app: to read gpsd's shared memory or bus signals"
    static let attempt = "as an app that was denied, read gpsd's shared memory by its key, and all other shared memory"

    /// Starts gpsd, and waits until its segment is there; 1196446532 is `GPSD_SHM_KEY` of gpsd.h.
    private static let gpsd = """
        gpsd -N -n -S "$0" -F "$1" &
        until grep -q " *1196446532 " /proc/sysvipc/shm; do sleep 0.05; done
        echo ready
        wait
        """

    static var obstacle: String? {
        SystemScene.obstacle ?? (Binaries.system("gpsd") == nil ? "needs gpsd" : nil)
    }

    /// The confinement that the package gives gpsd, as `unshare` gives it.
    private static func confinement() throws -> [String] {
        let file = URL(filePath: #filePath).appending(path: "../../../../packaging/locationd/gpsd-ipc.conf")
        let lines = try String(contentsOf: file.standardized, encoding: .utf8).split(separator: "\n")
        return lines.contains("PrivateIPC=yes") ? ["unshare", "-i"] : []
    }

    static func strike(_ scene: SystemScene, _ bounds: Bounds) async throws -> String {
        let port = try Loopback.freePort()
        let socket = "\(scene.directory)/gpsd.socket"
        let gpsd = try scene.child(
            "gpsd",
            ["-i"] + self.confinement() + ["sh", "-c", self.gpsd, "\(port)", socket]
        )
        defer { gpsd.kill() }
        _ = try gpsd.waitForLine(within: 20) { $0 == "ready" }
        try await scene.decide(.never)
        try await scene.run(SystemScene.hostile, "memory")
        while !bounds.isOver { try await Task.sleep(for: .milliseconds(20)) }
        try await scene.terminate(SystemScene.hostile)
        let marks = scene.marks(of: SystemScene.hostile)
        let reads = marks.count { $0 == UInt8(ascii: "!") }
        guard reads == 0 else { throw ChannelFailure(words: "the app read shared memory \(reads) times") }
        guard !marks.isEmpty else { throw ChannelFailure(words: "the app tried nothing") }
        return "\(marks.count) searches for shared memory, nothing read"
    }
}
