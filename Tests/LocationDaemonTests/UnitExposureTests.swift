internal import Foundation
internal import Rig
internal import Testing

private let analyzer = "/usr/bin/systemd-analyze"

/// Goal: the sandboxes of the packaged services score as in SECURITY.md, by `systemd-analyze security`.
@Suite(
    .offPool,
    .timeLimit(.minutes(1)),
    .enabled(if: FileManager.default.fileExists(atPath: analyzer), "skipped: systemd-analyze is not installed")
)
struct UnitExposureTests {
    /// Goal: no service is more exposed than its task requires (in tenths): root that starts apps as other users, and a
    /// server without privileges.
    @Test(arguments: [
        ("locationd/locationd-system.service", "locationd.service", 45),
        ("whereabouts-server/whereabouts@.service", "whereabouts@.service", 15),
    ])
    func aServiceIsNotExposedMoreThanItNeeds(_ packaged: String, _ name: String, _ most: Int) throws {
        let scratch = try Scratch()
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "packaging/\(packaged)")
        let unit = scratch.path + "/" + name
        try FileManager.default.copyItem(atPath: source.path, toPath: unit)
        let log = scratch.path + "/log"
        let arguments = ["security", "--offline=true", "--threshold=\(most)", "--no-pager", unit]
        let status = try Child("systemd-analyze", analyzer, arguments, log: log).waitForEnd(within: 30).status
        let verdict = try String(contentsOfFile: log, encoding: .utf8).suffix(120)
        #expect(status == 0, "\(verdict)")
    }
}
