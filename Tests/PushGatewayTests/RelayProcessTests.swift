internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushGateway

/// Tests the relay as a process that is killed, and its operator's commands.
@Suite(.timeLimit(.minutes(2))) struct RelayProcessTests {
    let rig: RelayRig

    init() throws {
        self.rig = try RelayRig()
        try self.rig.writeKeys()
    }

    private func run(_ arguments: String...) throws -> Child.Ended {
        try self.rig.run(["gateway"] + arguments + ["--control", self.rig.vendor.path("control")])
    }

    private func addSender() throws {
        let key =
            "\(RelayRig.senderTeam):\(RelayRig.senderKeyID):\(self.rig.vendor.path("sender.pub")):\(GatewayRig.bundle)"
        let added = try self.run("keys", "--add", key, "--relay", "7")
        #expect(added.status == 0 && added.output.hasPrefix("added "))
        #expect(try self.run("keys").output.contains("relays 7 a day"))
    }

    private func reports() throws -> [SenderReport] {
        try JSONDecoder().decode([SenderReport].self, from: Data(try self.run("senders", "--json").output.utf8))
    }

    /// Goal: a push that is at Apple when the relay is killed is counted, with an unknown outcome.
    @Test(arguments: PushStoreTests.kinds.filter { $0 != .model })
    func aKilledRelayHasCountedWhatWentOut(_ kind: PushStoreTests.Kind) async throws {
        let database = kind == .postgresql ? try PostgreSQLServer.ofThisProcess().address().url : nil
        let apple = try await FakeAPNS.start([.accept(), .silence])
        var (child, port) = try self.rig.start(apple, database: database)
        try self.addSender()
        var sender = try self.rig.sender(port: port)
        let push = try self.rig.push()
        let first = try await sender.send(push).get()
        let lost = Task { [sender] in await sender.send(push) }
        await apple.came(2)
        child.kill()
        guard case .failed = await lost.value else {
            Issue.record("a gateway that is dead answered")
            return
        }
        await sender.shutdown()
        (child, port) = try self.rig.start(apple, database: database)
        let day = try #require(try self.reports().first?.days.first)
        #expect(day.sent == 2 && day.accepted == 1 && day.rejected.isEmpty && day.unanswered == 1)
        // The key is in force again, and the account goes on.
        sender = try self.rig.sender(port: port)
        let second = try await sender.send(push).get()
        #expect(first.apnsID != second.apnsID)
        #expect(try self.reports().first?.days.first?.sent == 3)
        let traced = try self.run("trace", try #require(second.apnsID))
        #expect(traced.output.contains("to Apple") && traced.output.contains("relayed"), "\(traced.output)")
        let shown = try self.run("senders").output
        #expect(shown.contains("\(RelayRig.senderTeam):\(RelayRig.senderKeyID)  7 a day, 0 under way"), "\(shown)")
        #expect(try self.run("status").output.contains("relays     \(GatewayRig.bundle): Apple accepts the key"))
        await sender.shutdown()
        child.terminate()
        try await apple.stop()
    }

    /// Goal: other users of the machine, who can list processes, cannot read the database's password.
    @Test func aPasswordOnTheCommandLineIsRefused() async throws {
        let apple = try await FakeAPNS.start()
        #expect(throws: (any Error).self) {
            try self.rig.start(apple, database: "postgres://me:secret@127.0.0.1:1/push")
        }
        let log = try String(contentsOfFile: self.rig.vendor.path("log"), encoding: .utf8)
        #expect(log.contains("other users can read a password on a command line"), "\(log)")
        try await apple.stop()
    }

    /// Goal: an invalid certificate does not keep a key valid that was removed from its file.
    @Test func aWrongCertificateKeepsNoKeyInForce() async throws {
        let apple = try await FakeAPNS.start()
        let file = self.rig.vendor.path("keys.txt")
        func write(_ text: String, to path: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let sender = "\(RelayRig.senderTeam):\(RelayRig.senderKeyID)"
        try write("\(sender):\(self.rig.vendor.path("sender.pub")):\(GatewayRig.bundle)", to: file)
        let (child, _) = try self.rig.start(apple, "--keys", file)
        #expect(try self.run("keys").output.hasPrefix("\(sender)  given"))
        try write("", to: self.rig.vendor.path("tls.pem"))
        try write("# none", to: file)
        kill(child.pid, SIGHUP)
        // Each question takes a process, and its time.
        var isGone = false
        for _ in 0..<200 where !isGone { isGone = try self.run("keys").output.hasPrefix("no keys") }
        #expect(isGone)
        let log = try String(contentsOfFile: self.rig.vendor.path("log"), encoding: .utf8)
        #expect(log.contains("a file could not be loaded") && !log.contains("the files were read again"), "\(log)")
        child.terminate()
        try await apple.stop()
    }

    /// Goal: while a stopping gateway answers pushes in flight, it can be asked, and says that it is not ready.
    @Test func theEndCanBeWatched() async throws {
        let apple = try await FakeAPNS.start([.silence])
        let (child, port) = try self.rig.start(apple)
        try self.addSender()
        let sender = try self.rig.sender(port: port)
        let push = try self.rig.push()
        let waiting = Task { await sender.send(push) }
        await apple.came(1)
        kill(child.pid, SIGTERM)
        // Each question takes a process, and its time; Apple's silence lasts longer than some.
        var isSaid = false
        for _ in 0..<200 where !isSaid && SocketFile(self.rig.vendor.path("control")) == .inUse {
            isSaid = try self.run("status").output.contains("ready      no")
        }
        #expect(isSaid)
        _ = await waiting.value
        #expect(try child.waitForEnd(within: 60).status == 0)
        #expect(SocketFile(self.rig.vendor.path("control")) == .missing)
        let log = try String(contentsOfFile: self.rig.vendor.path("log"), encoding: .utf8)
        #expect(log.contains("shutting down") && log.contains("every accepted push is on disk"), "\(log)")
        await sender.shutdown()
        try await apple.stop()
    }

    /// Goal: a gateway whose keys are all stored starts without the option for keys; one without any key says so.
    @Test func keptKeysAreEnough() throws {
        let vendor = self.rig.vendor
        let database = vendor.path("kept.sqlite")
        func start() throws -> Child {
            try Child(
                "gateway",
                try Binaries().path("whereabouts"),
                [
                    "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0", "--certificate",
                    vendor.path("tls.pem"), "--private-key", vendor.path("tls.key"), "--database", database,
                ],
                log: vendor.path("kept.log")
            )
        }
        #expect(try start().waitForEnd(within: 30).status == 64)
        #expect(!FileManager.default.fileExists(atPath: database))
        var store = try SQLitePushStore(path: database)
        try store.close()
        #expect(try start().waitForEnd(within: 30).status == 64)
        #expect(try String(contentsOfFile: vendor.path("kept.log"), encoding: .utf8).contains("the database has none"))
        store = try SQLitePushStore(path: database)
        let name = "\(GatewayRig.teamID):\(GatewayRig.keyID)"
        try store.put(try ProviderKey(option: "\(name):\(vendor.path("key.p8")):\(GatewayRig.bundle)"))
        try store.close()
        let child = try start()
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        child.terminate()
    }

    /// Goal: impossible orders report the reason.
    @Test(arguments: [
        (["keys", "--relay", "5"], "goes with --add"), (["keys", "--add", "x", "--relay", "0"], "TEAMID:KEYID:FILE"),
        (["serve", "--relay", "A:B:c:d"], "--control"), (["serve", "--relay-to", "localhost:1"], "add --relay"),
    ]) func anOrderThatIsWrongSaysWhy(_ words: [String], _ remedy: String) throws {
        let files = ["--certificate", "c", "--private-key", "p", "--database", "d", "--key", "k"]
        let isServing = words[0] == "serve"
        let child = try Child(
            "whereabouts",
            try Binaries().path("whereabouts"),
            ["gateway"] + words + (isServing ? files : ["--control", "c"]),
            log: self.rig.vendor.path("errors")
        )
        #expect(try child.waitForEnd(within: 30).status != 0)
        let text = try String(contentsOfFile: self.rig.vendor.path("errors"), encoding: .utf8)
        #expect(text.contains(remedy), "\(text)")
    }
}
