internal import AsyncHTTPClient
internal import Dispatch
internal import Foundation
internal import NIOCore
internal import Rig
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading

/// A gateway and a locationd of this build, with an app whose extension logs each push that it receives.
final class Installed: Sendable {
    /// A policy with which one device accepts pushes for minutes without a pause; the default budget is for a day.
    private static let policy = [
        "push-budget-capacity": "1000000", "push-budget-reserve": "1000000", "pushes-waiting-max": "64",
    ]

    let installation: Installation
    /// The app's token.
    let token: DeviceToken
    private let state = Mutex((account: PushAccount(), linesRead: 0))

    private init(_ installation: Installation, token: DeviceToken) {
        self.installation = installation
        self.token = token
    }

    static func start() async throws -> Installed {
        try await Self.aside {
            let installation = try Installation()
            do {
                try installation.startAll(receiver: false, policy: Self.policy)
                try installation.replaceExtension(by: installation.binaries.path("ProbeExtension"))
                return Installed(installation, token: try Self.token(installation))
            } catch {
                installation.stop()
                installation.workspace.remove()
                throw error
            }
        }
    }

    func stop() async {
        try? await Self.aside {
            self.installation.stop()
            self.installation.workspace.remove()
        }
    }

    // MARK: Deaths

    func restartGateway() async throws {
        try await Self.aside {
            self.installation.kill("gateway")
            try self.installation.startGateway()
        }
    }

    func restartLocationd() async throws {
        try await Self.aside {
            self.installation.kill("locationd")
            self.readArrivals()
            self.state.withLock { $0.account.died() }
            try self.installation.startLocationd(policy: Self.policy)
        }
    }

    /// The resident bytes of a program of this installation.
    func memory(of name: String) -> Int {
        guard let pid = self.installation.pid(of: name),
            let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return 0 }
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    // MARK: Its pushes

    /// Reads or changes the account of the app's pushes.
    func account<Value>(_ body: (inout PushAccount) -> sending Value) -> sending Value {
        self.state.withLock { body(&$0.account) }
    }

    /// Reads the lines that the extension wrote since the last call.
    func readArrivals() {
        let path = "\(self.installation.workspace.directory)/state/containers/\(Installation.bundle)/probe.log"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        self.state.withLock { state in
            // Drop the text after the last newline: that line may be incomplete.
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            for line in lines.dropFirst(state.linesRead) {
                let words = line.split(separator: " ")
                guard words.count == 3, words[0] == "received", let number = Int(words[1]) else { continue }
                state.account.received(number)
            }
            state.linesRead = lines.count
        }
    }

    // MARK: The gateway's reports

    private struct Trace: Decodable {
        let end: String?
    }

    /// Returns the outcome of a push by the gateway; nil: the push waits, or the gateway was killed since.
    func word(ofAPNSID id: String) async -> String? {
        guard let address = URL(httpURLWithSocketPath: self.installation.controlPath, uri: "/pushes/\(id)") else {
            return nil
        }
        let request = HTTPClientRequest(url: address.absoluteString)
        guard let response = try? await HTTPClient.shared.execute(request, timeout: .seconds(5)),
            let body = try? await response.body.collect(upTo: 65_536)
        else { return nil }
        let traces = try? JSONReader().decode([Trace].self, from: Data(body.readableBytesView))
        return traces?.last?.end
    }

    /// Returns the token of the gateway's only device with its only app.
    private static func token(_ installation: Installation) throws -> DeviceToken {
        struct Device: Decodable { let key: String }
        struct Token: Decodable { let token: String }
        func ask<Value: Decodable>(_ words: [String]) throws -> Value {
            let ended = try installation.run(
                "whereabouts",
                ["gateway"] + words + ["--control", installation.controlPath, "--json"]
            )
            return try JSONReader().decode(Value.self, from: Data(ended.output.utf8))
        }
        let devices: [Device] = try ask(["devices"])
        guard let device = devices.first else { throw RigError("the gateway", "it has no device") }
        let tokens: [Token] = try ask(["tokens", "--device", device.key])
        guard let token = tokens.first.flatMap({ DeviceToken(hex: $0.token[...]) }) else {
            throw RigError("the gateway", "its device has no token")
        }
        return token
    }

    /// Runs blocking work on a separate thread.
    private static func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }
}
