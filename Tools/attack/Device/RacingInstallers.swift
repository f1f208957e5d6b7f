internal import Foundation
internal import Rig
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// A bundle that changes while it is installed: root copied a file of its own into it, and a pipe stopped all installations.
enum RacingInstallers: Attack {
    typealias Scene = SystemScene

    static let name = "racing-installers"
    static let row = "as an installer: to make root copy unreadable files, or block installations"
    static let attempt = "as a member of the owners' group, install a bundle while a file becomes a link or a pipe"

    static var obstacle: String? { SystemScene.obstacle }

    private static let bundle = "com.example.Theft"
    private static let user = 61_234
    private static let secret = Data("only root reads this".utf8)

    /// The installer: one process exchanges the file, the other one gives the order and marks each reply with "+" or "-".
    private static let installer = #"""
        import ctypes, os, socket, sys
        folder, secret, control, order, user, group = sys.argv[1:]
        os.setgroups([])
        os.setgid(int(group))
        os.setuid(int(user))
        os.symlink(secret, folder + "/link")
        os.mkfifo(folder + "/pipe")
        marks = os.open(folder + "/marks", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        if os.fork() == 0:
            libc = ctypes.CDLL(None)
            outside = os.open(folder, os.O_RDONLY)
            bundle = os.open(folder + "/Theft.app", os.O_RDONLY)
            while True:
                for other in (b"link", b"link", b"pipe", b"pipe"): libc.renameat2(outside, other, bundle, b"file", 2)
        while True:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
                connection.settimeout(20)
                connection.connect(control)
                connection.send(bytes.fromhex(order))
                os.write(marks, b"+" if b"is installed" in connection.recv(65536) else b"-")
        """#

    static func strike(_ scene: SystemScene, _ bounds: Bounds) async throws -> String {
        let files = FileManager.default
        let folder = "\(scene.directory)/theft"
        let secret = "\(scene.directory)/secret"
        _ = files.createFile(atPath: secret, contents: self.secret, attributes: [.posixPermissions: 0o600])
        try SystemScene.makeBundle(self.bundle, at: "\(folder)/Theft.app")
        try Data("own".utf8).write(to: URL(filePath: "\(folder)/Theft.app/file"))
        for path in [folder] + (try files.subpathsOfDirectory(atPath: folder)).map({ "\(folder)/\($0)" }) {
            try files.setAttributes(
                [.ownerAccountID: self.user, .groupOwnerAccountID: self.user, .posixPermissions: 0o755],
                ofItemAtPath: path
            )
        }
        let order = try WireMessage.encode(WireControlRequest.with { $0.install.path = "\(folder)/Theft.app" })
        let thief = try scene.child(
            "thief",
            [
                SystemScene.python, "-c", self.installer, folder, secret,
                SocketPaths.control(in: "\(scene.directory)/run"),
                order.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
                "\(self.user)", "\(SystemScene.ownersGroup.number)",
            ]
        )
        defer { thief.kill() }
        var honest = 0
        repeat {
            try await scene.install(SystemScene.other)
            try await scene.uninstall(SystemScene.other)
            honest += 1
            let copy = URL(filePath: scene.seen("apps/\(self.bundle)/Theft.app/file"))
            guard (try? Data(contentsOf: copy)) != self.secret else {
                throw ChannelFailure(words: "the bundle has a file that its installer cannot read")
            }
        } while !bounds.isOver
        let marks = try Data(contentsOf: URL(filePath: "\(folder)/marks"))
        let refused = marks.count { $0 == UInt8(ascii: "-") }
        guard refused > 0, refused < marks.count else {
            throw ChannelFailure(words: "\(refused) of \(marks.count) installations were refused, so nothing was raced")
        }
        return "\(marks.count) installations, \(refused) refused; \(honest) of others"
    }
}
