internal import Foundation
internal import Glibc
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// The choice of the app that gives way on a full disk.
@Suite struct DiskShareTests {
    private static func culprit(free: Int, _ held: [String: Int]) -> String? {
        let apps = Dictionary(uniqueKeysWithValues: held.map { (BundleID($0.key), $0.value) })
        return DiskShare.culprit(free: free, size: 1 << 30, held: apps)?.rawValue
    }

    /// Goal: only on a full disk, and only the app that holds more than a quarter of it.
    @Test func theLargestAppGivesWayOnAFullDisk() {
        let quarter = 1 << 28
        #expect(Self.culprit(free: 0, ["a": quarter + 1, "b": quarter + 2]) == "b")
        #expect(Self.culprit(free: (64 << 20) - 1, ["a": quarter + 1]) == "a")
        #expect(Self.culprit(free: 64 << 20, ["a": quarter + 1]) == nil)
        #expect(Self.culprit(free: 0, ["a": quarter, "b": 1]) == nil)
        #expect(Self.culprit(free: 0, [:]) == nil)
    }

    /// Goal: what an app holds is counted in folders inside one another, and can't be hidden in deep ones.
    @Test func whatAnAppHoldsIsCounted() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path + "/c/d", withIntermediateDirectories: true)
        try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: scratch.path + "/c/d/file"))
        let held = try HeldDirectory(path: scratch.path).bytes()
        #expect((1 << 20...(1 << 20) + (1 << 16)).contains(held))
        let deep = scratch.path + "/c" + String(repeating: "/d", count: HeldDirectory.depthMax + 1)
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        #expect(try HeldDirectory(path: scratch.path).bytes() >= 1 << 40)
    }
}
