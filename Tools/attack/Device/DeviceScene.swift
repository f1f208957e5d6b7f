internal import Foundation
internal import Rig
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// A device with its owner, a lying push service and a hostile app.
///
/// An honest action is an order of the owner that is answered, while the owner's agent still receives events.
final class DeviceScene: AttackScene {
    /// The hostile app, to which the owner gave no permissions.
    static let bundle = "com.example.Hostile"

    let gateway: LyingGateway
    let owner: Owner
    private let installation: Installation

    private init(_ installation: Installation, _ gateway: LyingGateway) throws {
        self.installation = installation
        self.gateway = gateway
        self.owner = try Owner(runtime: "\(installation.workspace.directory)/run")
    }

    static func start() async throws -> DeviceScene {
        let installation = try Installation()
        do {
            let gateway = try await LyingGateway.start(installation.workspace)
            try installation.usePushService(port: gateway.port)
            try installation.startLocationd()
            let scene = try DeviceScene(installation, gateway)
            let path = try scene.makeBundle()
            _ = try await scene.owner.order(.with { $0.install.path = path })
            return scene
        } catch {
            installation.stop()
            installation.workspace.remove()
            throw error
        }
    }

    /// Makes the bundle of the app; its executable is this program.
    private func makeBundle() throws -> String {
        let bundle = URL(filePath: self.installation.workspace.directory).appending(path: "Hostile.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let values: [String: Any] = [
            "CFBundleIdentifier": Self.bundle, "CFBundleExecutable": "Hostile", "CFBundleName": "Hostile",
            "NSLocationWhenInUseUsageDescription": "to lie", "UIBackgroundModes": ["location"],
        ]
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        try FileManager.default.copyItem(
            at: URL(filePath: self.installation.binaries.path("attack")),
            to: bundle.appending(path: "Hostile")
        )
        return bundle.path
    }

    /// Runs the app until the bounds are reached.
    ///
    /// - Returns: the number of the app's attempts, which it prints.
    func runApp(_ role: HostileApp.Role, _ bounds: Bounds) async throws -> Int {
        _ = try await self.owner.order(
            .with {
                $0.run.bundle = Self.bundle
                $0.run.arguments = ["--as-app", role.rawValue]
            }
        )
        while !bounds.isOver { try await Task.sleep(for: .milliseconds(20)) }
        _ = try await self.owner.order(.with { $0.terminate.bundle = Self.bundle })
        let output = "\(self.installation.workspace.directory)/state/output/\(Self.bundle).log"
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        guard let count = lines.last.flatMap({ Int($0) }), count > 0 else {
            throw RigError("the app", "it did nothing: \(lines.suffix(3).joined(separator: "; "))")
        }
        return count
    }

    func honestAction() async throws {
        let reply = try await self.owner.order(.with { $0.settings = .init() })
        guard let app = reply.settings.apps.first(where: { $0.bundle == Self.bundle }), app.location == .askNextTime
        else { throw RigError("the app", "it has more than its owner gave: \(reply.settings.apps)") }
        try self.owner.readEvents()
    }

    var pids: [Int32] { [self.installation.pid(of: "locationd")].compactMap(\.self) }

    func stop() async {
        await self.gateway.stop()
        self.installation.stop()
        self.installation.workspace.remove()
    }
}
