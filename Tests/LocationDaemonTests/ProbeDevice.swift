internal import Foundation
internal import Glibc
internal import Logging
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// A daemon with an installed, allowed and registered app, whose extension does what the test says.
///
/// The app itself never runs.
final class ProbeDevice: Sendable {
    typealias Reply = WireControlReply

    static let app = BundleID("com.example.Test")
    let scratch: Scratch
    let events = EventLog()
    let daemon: Daemon

    var container: String { "\(self.scratch.path)/state/containers/\(Self.app)" }

    /// Creates the device; `script` is what the app itself does when a person runs it.
    init(policy: Policy = Policy(), replaying track: String? = nil, script: String = "") async throws {
        self.scratch = try Scratch()
        let binaries = try Binaries()
        self.daemon = try Daemon(
            DaemonConfiguration(
                stateDirectory: self.scratch.path + "/state",
                runtimeDirectory: self.scratch.path + "/run",
                sources: [track.map { .replay(path: $0) } ?? .gpsd(host: "127.0.0.1", port: 9)],
                gateway: nil,
                launcherPath: binaries.path("location-launch"),
                policy: policy
            ),
            logger: self.events.logger
        )
        let bundle = try self.scratch.makeBundle()
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: bundle + "/Test"))
        let executable = bundle + "/PlugIns/Push.appex/Push"
        try FileManager.default.removeItem(atPath: executable)
        try FileManager.default.copyItem(atPath: binaries.path("ProbeExtension"), toPath: executable)
        try await self.daemon.start()
        let installed = try self.ask(
            .with {
                $0.install.path = bundle
                $0.install.approvedEntitlements = [Entitlement.push, Entitlement.pushEnvironment]
            }
        )
        try #require(installed.failure.message.isEmpty, "\(installed.failure.message)")
        await self.daemon.register(Self.app)
    }

    func ask(_ request: WireControlRequest) throws -> Reply {
        try ControlCall.reply(to: request, in: self.scratch.path + "/run")
    }

    @discardableResult
    func push(_ payload: String, priority: UInt32 = 10, dryRun: Bool = false) throws -> Reply {
        try self.ask(
            .with {
                $0.push.bundle = Self.app.rawValue
                $0.push.payload = Data(payload.utf8)
                $0.push.priority = priority
                $0.push.dryRun = dryRun
            }
        )
    }

    var accounts: WirePushAccounts {
        get throws { try self.ask(.with { $0.pushes = .init() }).pushes }
    }

    /// The extension's log: each line has a word and a process number.
    var probeLog: [[Substring]] {
        let text = (try? String(contentsOfFile: self.container + "/probe.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ") }
    }

    /// The processes whose working directory is the app's container.
    var processes: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { pid in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd"))?
                .hasPrefix(self.container) ?? false
        }
    }
}

extension Daemon {
    /// Sends the app's messages in its place: it gets Always, and requests its token.
    fileprivate func register(_ bundle: BundleID) {
        let client = ClientID(1_000_000)
        let principal = Principal(bundle: bundle, role: .app)
        self.feed(.connectionOpened(client, principal, Caller(user: 0, isLaunched: false)))
        self.feed(.messageReceived(.declaration(Declaration()), from: client))
        self.feed(.authorizationSet(bundle, .always))
        self.feed(.messageReceived(.pushTokenRequest(request: 1), from: client))
        self.feed(.connectionClosed(client))
    }
}
