internal import FakeAPNS
internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsAPNS

/// Tests `whereabouts push` over a relay, and the relay operator's commands.
@Suite(.timeLimit(.minutes(2))) struct RelayCommandTests {
    let rig: RelayRig

    init() throws {
        self.rig = try RelayRig()
        try self.rig.writeKeys()
    }

    private static let sender = "\(RelayRig.senderTeam):\(RelayRig.senderKeyID)"

    private func push(port: Int, trustRoots: String, _ more: [String]) throws -> Child.Ended {
        try self.rig.run(
            [
                "push", "--to", "localhost:\(port)", "--trust-roots", trustRoots, "--app", GatewayRig.bundle,
                "--key", self.rig.vendor.path("sender.p8"), "--key-id", RelayRig.senderKeyID,
                "--team-id", RelayRig.senderTeam,
            ] + more
        )
    }

    private func added(_ apps: String, _ more: String...) throws -> (status: Int32, output: String, errors: String) {
        let ended = try self.rig.run(
            [
                "gateway", "keys", "--control", self.rig.vendor.path("control"),
                "--add", "\(Self.sender):\(self.rig.vendor.path("sender.pub")):\(apps)",
            ] + more,
            log: "errors"
        )
        return (ended.status, ended.output, try self.errors())
    }

    /// The standard error of all commands with this log.
    private func errors() throws -> String {
        try String(contentsOfFile: self.rig.vendor.path("errors"), encoding: .utf8)
    }

    private struct Report: Decodable {
        let outcome: String
        let message: String
        let reason: String?
        let relay: String?
        let mayHaveBeenAccepted: Bool?
    }

    /// Goal: texts about a relay's answers are correct for a relay, and the exit code says whether to retry.
    @Test(
        arguments: [
            (400, "PayloadEmpty", "not_sealed", 3, "only sealed payloads"),
            (400, "BadCollapseId", "collapse_id", 3, "accepts no collapse ID"),
            (400, "BadDeviceToken", "app", 3, "its vendor's apps"),
            (400, "BadDeviceToken", "no_sender", 3, "for this key"),
            (400, "BadDeviceToken", "apple", 3, "Apple does not know the device token"),
            (429, "TooManyRequests", "day", 5, "midnight UTC"), (429, "TooManyRequests", "at_once", 5, "waiting for"),
            (429, "TooManyRequests", "mistakes", 5, "for an hour"),
            (429, "TooManyRequests", "apple", 5, "for this device"),
            (500, "InternalServerError", "vendor", 5, "the relay's key"),
            (503, "ServiceUnavailable", "unanswered", 6, "may have been accepted"),
            (503, "ServiceUnavailable", nil, 5, "the server is busy"),
            (429, "TooManyRequests", nil, 5, "for this device"),
            (400, "BadDeviceToken", "of a later version", 3, "does not know"),
        ] as [(Int, String, String?, Int32, String)]
    )
    func anAnswerIsToldAsWhatItIs(
        _ code: Int,
        _ reason: String,
        _ relay: String?,
        _ status: Int32,
        _ words: String
    )
        async throws
    {
        let headers = relay.map { ["whereabouts-relay": $0] } ?? [:]
        let apple = try await FakeAPNS.start([
            .reject(status: code, body: #"{"reason":"\#(reason)"}"#, headers: headers)
        ])
        let ended = try self.push(port: apple.port, trustRoots: apple.authorityPath, ["--token", "0707", "--json"])
        let report = try JSONDecoder().decode(Report.self, from: Data(ended.output.utf8))
        #expect(ended.status == status && report.message.contains(words), "\(ended.output)")
        #expect(report.outcome == (status == 3 ? "rejected" : "failed") && report.reason == reason)
        #expect(report.relay == relay.map { RelayWord(header: $0).rawValue })
        #expect(report.mayHaveBeenAccepted == [5: false, 6: true][status])
        try await apple.stop()
    }

    /// Goal: `push --check` over a relay succeeds only if Apple itself was asked; otherwise it says who must act.
    @Test func aCheckTellsTheRelaysWordFromApples() async throws {
        let bad = FakeAPNS.Action.reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#)
        let apple = try await FakeAPNS.start([
            bad, .reject(status: 403, body: #"{"reason":"InvalidProviderToken"}"#), .hangUp,
        ])
        let (child, port) = try self.rig.start(apple)
        func check(_ more: String...) throws -> Child.Ended {
            try self.push(port: port, trustRoots: self.rig.vendor.path("ca.pem"), ["--check"] + more)
        }
        let (sealed, status) = (["--payload", RelayRig.sealed], { try self.rig.ask("status").output })
        #expect(try status().contains("no push since the start"))
        #expect(try self.added(GatewayRig.bundle).status == 0)
        let stranger = try check(sealed[0], sealed[1])
        #expect(stranger.status == 3 && stranger.output.contains("keys --add"), "\(stranger.output)")
        let own = try check()
        #expect(own.status == 0 && own.output.contains("relays no pushes of this key"), "\(own.output)")
        #expect(try self.added(GatewayRig.bundle, "--relay", "100").status == 0)
        let plain = try check()
        #expect(plain.status == 3 && plain.output.contains("check with --payload"), "\(plain.output)")
        let alert = try check(sealed[0], sealed[1], "--type", "alert")
        #expect(alert.status == 3 && alert.output.contains("relay      app"), "\(alert.output)")
        #expect(apple.requests.isEmpty)
        let open = try check(sealed[0], sealed[1])
        #expect(open.status == 0 && open.output.contains("and Apple accepts them"), "\(open.output)")
        #expect(try status().contains("Apple accepts the key"))
        let refused = try check(sealed[0], sealed[1])
        #expect(refused.status == 5 && refused.output.contains("relay      vendor"), "\(refused.output)")
        #expect(try status().contains("Apple does not accept the key: InvalidProviderToken"))
        let lost = try check(sealed[0], sealed[1])
        #expect(lost.status == 6 && lost.output.contains("relay      unanswered"), "\(lost.output)")
        #expect(try status().contains("Apple did not answer"))
        #expect(apple.requests.count == 3)
        child.terminate()
        try await apple.stop()
    }

    /// Goal: a check of the path to Apple fails if the gateway was started without its relay.
    @Test func aServerThatDoesNotRelayIsNoOpenWay() async throws {
        let plain = FakeAPNS.Action.reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#)
        let gateway = try await FakeAPNS.start([plain, plain])
        let sealed = ["--check", "--json", "--payload", RelayRig.sealed]
        let closed = try self.push(port: gateway.port, trustRoots: gateway.authorityPath, sealed)
        let report = try JSONDecoder().decode(Report.self, from: Data(closed.output.utf8))
        #expect(closed.status == 3 && report.outcome == "rejected" && report.reason == "BadDeviceToken")
        #expect(report.message.contains("It is not a relay to Apple"), "\(report.message)")
        let open = try self.push(port: gateway.port, trustRoots: gateway.authorityPath, ["--check"])
        #expect(open.status == 0, "\(open.output)")
        // A retry is useless until the trusted authorities change.
        let other = self.rig.vendor.path("ca.pem")
        let untrusted = try self.push(port: gateway.port, trustRoots: other, ["--check"])
        #expect(untrusted.status == 3 && untrusted.output.contains("--trust-roots"), "\(untrusted.output)")
        #expect(gateway.requests.count == 2)
        try await gateway.stop()
    }

    /// Goal: the operator is warned at once about a sender that can never push, and about a sender that lost its right to
    /// push because its key was added again.
    @Test func aKeyThatIsNotRelayedIsSaidAtOnce() async throws {
        let apple = try await FakeAPNS.start()
        let (child, port) = try self.rig.start(apple)
        #expect(try self.rig.ask("senders").output.hasPrefix("no senders; add one"))
        let other = try self.added("org.example.Other", "--relay", "100")
        #expect(other.status == 1 && other.errors.contains("no push would go to Apple for org.example.Other"))
        #expect(other.errors.contains("this gateway relays \(GatewayRig.bundle)"), "\(other.errors)")
        #expect(try self.rig.ask("keys").output.hasPrefix("no keys"))
        for wrong in ["", "zz", "../keys/\(RelayRig.senderTeam)", String(repeating: "g", count: 64)] {
            #expect(try self.rig.ask("devices", "--remove", wrong, log: "errors").status == 64)
            #expect(try self.rig.ask("tokens", "--remove", wrong, log: "errors").status == 64)
            #expect(try self.rig.ask("keys", "--remove", wrong, log: "errors").status == 64)
            #expect(try self.rig.ask("keys", "--add", wrong, log: "errors").status == 64)
        }
        // The command is valid, but the gateway does not know the sender.
        for unknown in [("devices", String(repeating: "0", count: 64)), ("tokens", "07"), ("keys", "NOBODY0000")] {
            #expect(try self.rig.ask(unknown.0, "--remove", unknown.1, log: "errors").status == 1)
        }
        #expect(try self.errors().contains("no such device is connected"))
        #expect(try self.added(GatewayRig.bundle, "--relay", "0").status == 64)
        let both = try self.added("\(GatewayRig.bundle),org.example.Other", "--relay", "100")
        #expect(both.status == 0 && both.errors.contains("no push goes to Apple for org.example.Other"))
        #expect(try self.rig.ask("keys").output.contains("relays 100 a day, not for org.example.Other"))
        let payload = ["--token", "0707", "--payload", RelayRig.sealed]
        #expect(try self.push(port: port, trustRoots: self.rig.vendor.path("ca.pem"), payload).status == 0)
        #expect(try self.rig.ask("senders").output.contains("\(Self.sender)  100 a day, 0 under way"))
        let again = try self.added(GatewayRig.bundle)
        #expect(again.status == 0 && again.errors.contains("could send 100 pushes a day through"))
        let former = try self.rig.ask("senders").output
        #expect(former.contains("no sender any more: its key was added again without --relay"), "\(former)")
        #expect(try self.rig.ask("keys", "--remove", Self.sender).status == 0)
        #expect(try self.rig.ask("senders").output.contains("its key was removed"))
        // A table without colours, because there is no terminal.
        #expect(!former.contains("\u{1B}") && former.contains("UNANSWERED"))
        child.terminate()
        try await apple.stop()
    }

    /// Goal: the error says whether the path is wrong or the gateway has stopped, without a wait.
    @Test func aSocketThatNobodyListensOnIsSaid() async throws {
        let apple = try await FakeAPNS.start()
        let (first, port) = try self.rig.start(apple)
        var child = first
        // A second gateway does not replace the running gateway.
        let second = try self.rig.run(
            [
                "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
                "--certificate", self.rig.vendor.path("tls.pem"), "--private-key", self.rig.vendor.path("tls.key"),
                "--database", self.rig.vendor.path("second.sqlite"), "--control", self.rig.vendor.path("control"),
            ],
            log: "errors"
        )
        #expect(second.status == 1)
        #expect(try self.rig.ask("status").status == 0)
        let page = try self.rig.run(
            [
                "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
                "--certificate", self.rig.vendor.path("tls.pem"), "--private-key", self.rig.vendor.path("tls.key"),
                "--database", self.rig.vendor.path("third.sqlite"), "--control", self.rig.vendor.path("third"),
                "--metrics", "\(port)",
            ],
            log: "errors"
        )
        #expect(page.status == 1)
        #expect(try self.errors().contains("--metrics: "))
        child.kill()
        #expect(try self.rig.ask("status", log: "errors").status == 1)
        for path in [self.rig.vendor.path("nothing"), self.rig.vendor.path("tls.pem"), ""] {
            #expect(try self.rig.run(["gateway", "status", "--control", path], log: "errors").status == 1)
        }
        let misspelt = try self.rig.run(["gateway", "stauts", "--control", "c"], log: "errors")
        #expect(misspelt.status == 64)
        let errors = try self.errors()
        for words in [
            "another program listens there", "no gateway listens on it any more", "does not exist", "is not a socket;",
            "is not the path of a socket", "there is no `whereabouts gateway stauts`; there are serve, status,",
        ] { #expect(errors.contains(words), "\(words) in \(errors)") }
        // The remaining socket file does not block the start.
        (child, _) = try self.rig.start(apple)
        #expect(try self.rig.ask("status").status == 0)
        child.terminate()
        try await apple.stop()
    }

    /// Goal: a gateway without a relay says so when asked for its senders.
    @Test func aGatewayThatRelaysNothingSaysSo() async throws {
        let key = "\(GatewayRig.teamID):\(GatewayRig.keyID):\(self.rig.vendor.path("key.p8"))"
        let child = try Child(
            "gateway",
            try Binaries().path("whereabouts"),
            [
                "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
                "--certificate", self.rig.vendor.path("tls.pem"), "--private-key", self.rig.vendor.path("tls.key"),
                "--database", self.rig.vendor.path("gateway.sqlite"), "--control", self.rig.vendor.path("control"),
                "--key", key,
            ],
            log: self.rig.vendor.path("log")
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        #expect(try self.rig.ask("senders").output.hasPrefix("no senders: this gateway relays nothing"))
        #expect(try self.rig.ask("senders", "--json").output == "[]\n")
        #expect(!(try self.rig.ask("status").output.contains("relays")))
        let refused = try self.added(GatewayRig.bundle, "--relay", "100")
        #expect(refused.status == 1 && refused.errors.contains("start the gateway with --relay"), "\(refused.errors)")
        // An unknown push is exit status 1, with and without JSON.
        let id = "123E4567-E89B-12D3-A456-4266554400A0"
        #expect(try self.rig.ask("trace", id, log: "errors").status == 1)
        let json = try self.rig.ask("trace", id, "--json", log: "errors")
        #expect(json.status == 1 && json.output == "[]\n")
        #expect(try self.errors().contains("since this gateway's start"))
        child.terminate()
    }
}
