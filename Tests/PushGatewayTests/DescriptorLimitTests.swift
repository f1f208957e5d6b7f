internal import Foundation
internal import Rig
internal import Testing

/// Servers as processes that may open too few files.
@Suite(.timeLimit(.minutes(1))) struct DescriptorLimitTests {
    /// Goal: the limit, the rule and the remedy, in place of a crash of the event loop.
    @Test(arguments: ["gateway", "server"]) func tooFewDescriptorsAreAnError(_ command: String) throws {
        let rig = try RelayRig()
        try rig.writeKeys()
        let vendor = rig.vendor
        let files = "--certificate \(vendor.path("tls.pem")) --private-key \(vendor.path("tls.key"))"
        let options =
            command == "gateway"
            ? "--key \(GatewayRig.teamID):\(GatewayRig.keyID):\(vendor.path("key.p8"))"
            : "--address 127.0.0.1:0 --apns-endpoint localhost:1 --apns-key \(vendor.path("key.p8")) --apns-key-id KEYKEYKEY1 --apns-team-id TEAMTEAM01"
        let script =
            "ulimit -n 20; exec \(try Binaries().path("whereabouts")) \(command) \(files) "
            + "--database \(vendor.path("few.sqlite")) \(options)"
        let child = try Child("sh", "/bin/sh", ["-c", script], log: vendor.path("log"))
        let ended = try child.waitForEnd(within: 30)
        let log = try String(contentsOfFile: vendor.path("log"), encoding: .utf8)
        #expect(
            ended.status == 1 && log.contains("may open 20 files and connections") && log.contains("ulimit -n"),
            "\(log)"
        )
    }
}
