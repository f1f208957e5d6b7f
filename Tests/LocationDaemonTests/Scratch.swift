internal import Foundation
internal import Rig

@testable internal import WhereaboutsLocationDaemon

/// A temporary directory for one test, removed when the value is released.
final class Scratch: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appending(path: "ld-\(UUID().uuidString.prefix(8))")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    func write(_ values: [String: Any], to name: String) throws {
        let place = self.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (place as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        let data = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: place))
    }

    /// Starts locationd with its folders in this directory, and waits until it serves.
    func startLocationd(
        _ arguments: [String] = ["--gpsd", "127.0.0.1:9"],
        cgroup: String = "none",
        environment: [String: String] = [:]
    ) throws -> Child {
        let child = try Child(
            "locationd",
            Binaries().path("locationd"),
            ["--state", self.path + "/state", "--runtime", self.path + "/run", "--cgroup", cgroup] + arguments,
            environment: environment,
            log: self.path + "/locationd.log"
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    /// Makes a valid bundle; then changes or removes some keys.
    func makeBundle(changing changes: [String: String] = [:], removing removed: Set<String> = []) throws -> String {
        func values(_ all: [String: Any]) -> [String: Any] {
            all.merging(changes.filter { all[$0.key] != nil }) { $1 }.filter { !removed.contains($0.key) }
        }
        try self.write(
            values([
                "CFBundleIdentifier": "com.example.Test", "CFBundleExecutable": "Test",
                "NSLocationWhenInUseUsageDescription": "why", "NSLocationAlwaysAndWhenInUseUsageDescription": "why",
            ]),
            to: "Test.app/Info.plist"
        )
        try self.write(
            [
                "CFBundleIdentifier": "com.example.Test.Push", "CFBundleExecutable": "Push",
                "NSExtension": ["NSExtensionPointIdentifier": "com.apple.location.push.service"],
            ],
            to: "Test.app/PlugIns/Push.appex/Info.plist"
        )
        try self.write(
            values(["com.apple.developer.location.push": true, "aps-environment": "production"]),
            to: "Test.app/PlugIns/Push.appex/Entitlements.plist"
        )
        for name in ["Test.app/Test", "Test.app/PlugIns/Push.appex/Push"] {
            _ = FileManager.default.createFile(
                atPath: self.path + "/" + name,
                contents: Data("#!/bin/sh\n".utf8),
                attributes: [.posixPermissions: 0o755]
            )
        }
        return self.path + "/Test.app"
    }

    /// Makes a valid bundle with additional keys in its Info.plist.
    func makeBundle(adding keys: [String: Any]) throws -> String {
        let path = try self.makeBundle()
        let data = try Data(contentsOf: URL(fileURLWithPath: path + "/Info.plist"))
        let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        try self.write((list ?? [:]).merging(keys) { $1 }, to: "Test.app/Info.plist")
        return path
    }
}

extension StateSeal {
    /// The seal of a test's device.
    static let ofTests = StateSeal(secrets: [("the test's key", Data(repeating: 1, count: 32))])
}
