internal import Foundation
internal import Testing

@testable internal import WhereaboutsDurableStorage

/// Tests for the lock that gives one process exclusive access to the files.
struct ExclusiveLockTests {
    @Test func oneHoldsItAtATime() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var first = try ExclusiveLock(directory + "/lock")
        #expect(try first != nil && ExclusiveLock(directory + "/lock") == nil)
        first = nil
        let second = try #require(try ExclusiveLock(directory + "/lock"))
        second.release()
        #expect(try ExclusiveLock(directory + "/lock") != nil)
        withExtendedLifetime(second) {}
    }

    @Test func fileThatCannotBeMadeIsNamed() {
        let error = #expect(throws: DurableFileError.self) { try ExclusiveLock("/nowhere/lock") }
        #expect(error?.description == "cannot open /nowhere/lock: No such file or directory")
    }
}
