internal import Dispatch
internal import Foundation
internal import Glibc
internal import Rig
internal import Synchronization

/// The steps of the demo, which prints each step as it happens.
final class Demo: Sendable {
    private let installation: Installation
    private let isEnding = Mutex(false)

    init() throws {
        self.installation = try Installation()
    }

    /// Ends everything at a signal from a person or the system.
    func endOnSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler holds its source, so that the source lasts as long as the process.
            source.setEventHandler { withExtendedLifetime(source) { self.end("interrupted", status: 128 + number) } }
            source.activate()
        }
    }

    /// Ends everything if the steps take too long.
    func endAfter(seconds: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            self.end("not done within \(seconds) s", status: 1)
        }
    }

    private func end(_ reason: String, status: Int32) {
        guard self.takeEnd() else { return }
        self.installation.stop()
        self.installation.workspace.removeAllButLogs()
        FileHandle.standardError.write(
            Data("demo: \(reason); the logs are in \(self.installation.workspace.logs)\n".utf8)
        )
        exit(status)
    }

    /// True for the first end of the demo only: programs that fail because of a signal are no failures of the demo.
    private func takeEnd() -> Bool {
        self.isEnding.withLock { isEnding in
            defer { isEnding = true }
            return !isEnding
        }
    }

    /// Runs the steps.
    ///
    /// - Returns: the exit status.
    func run() -> Int32 {
        let outcome = Result { try self.tell() }
        // A signal reaches all processes of a terminal at once: wait a moment, so that this process handles its own signal first.
        if case .failure = outcome { _ = poll(nil, 0, 200) }
        guard self.takeEnd() else {
            while true { pause() }
        }
        let left = self.installation.stop()
        self.installation.workspace.removeAllButLogs()
        switch outcome {
        case .failure(let error):
            FileHandle.standardError.write(Data("demo: failed at \(error)\n".utf8))
            FileHandle.standardError.write(Data("demo: the logs are in \(self.installation.workspace.logs)\n".utf8))
            return 1
        case .success(let answer):
            if !left.isEmpty { print("these processes had to be killed: \(left)") }
            print("The logs are in \(self.installation.workspace.logs)")
            print(answer)
            return left.isEmpty ? 0 : 1
        }
    }

    private func tell() throws -> String {
        try self.step("A receiver") {
            try self.installation.startReceiver()
            return self.installation.receiver
        }
        try self.step("The push gateway") {
            try self.installation.startGateway()
            return "HTTP/2 over TLS for providers, one TLS connection for each device"
        }
        try self.step("The sharing server") {
            try self.installation.startServer()
            return "HTTPS, one SQLite file; positions pass through it sealed"
        }
        try self.step("locationd") {
            try self.installation.startLocationd()
            return "connected to the gateway, listening for apps"
        }
        try self.step("FindFriends is installed") {
            try self.installation.installApp()
            return "its owner approved com.apple.developer.location.push and aps-environment"
        }
        try self.step("Alice opens FindFriends once") {
            try self.installation.runAppOnce()
            return "she was asked, allowed Always, and closed the app; it does not run any more"
        }
        let bob = try self.installation.makeRequester("bob")
        try self.step("Alice approves Bob") {
            try self.installation.approve(bob)
            return "a grant, signed with her key, good for one day"
        }
        let answer = try self.firstAnswer(to: bob)
        try self.step("What the server has of it") {
            try ServerData(database: self.installation.serverDatabase).words(about: answer)
        }
        try self.step("Alice takes the grant back") {
            try self.installation.revoke(bob)
            return "signed, known to her device and to the server"
        }
        try self.refused("Bob asks again", bob, grant: bob.grant)
        let mallory = try self.installation.makeRequester("mallory")
        try self.refused("Mallory, who found Bob's grant, asks", mallory, grant: bob.grant)
        return answer
    }

    private func step(_ title: String, _ body: () throws -> String) throws {
        print(Style.bold(title))
        try self.show(body())
    }

    private func show(_ text: String) {
        for line in text.split(separator: "\n") { print("    \(line)") }
    }

    private func firstAnswer(to bob: RequesterFiles) throws -> String {
        print(Style.bold("Bob asks where Alice is"))
        let ended = try self.installation.ask(bob)
        self.show(ended.output)
        guard ended.status == 0, let last = ended.output.split(separator: "\n").last, last.hasPrefix("answered: ")
        else {
            throw RigError("Bob's request", "it ended with status \(ended.status), not with an answer")
        }
        // The extension completes its push a moment after the answer was sent; later comparisons of the log need that event.
        try self.installation.waitForEvents("push-completed", count: 1)
        return String(last)
    }

    /// A request that must be refused, and for which no push may be sent.
    private func refused(_ title: String, _ requester: RequesterFiles, grant: String) throws {
        let before = try self.installation.deviceEvents()
        try self.step(title) {
            let ended = try self.installation.ask(requester, grant: grant)
            guard ended.status == Installation.refusedStatus else {
                throw RigError(title, "expected a refusal, but it ended with status \(ended.status): \(ended.output)")
            }
            guard try self.installation.deviceEvents() == before else {
                throw RigError(title, "the request was refused, but something reached the device")
            }
            return "refused; no push was sent"
        }
    }
}
