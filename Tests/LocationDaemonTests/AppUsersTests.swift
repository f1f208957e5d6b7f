internal import Foundation
internal import Testing
internal import WhereaboutsLocationEngine

@testable internal import WhereaboutsLocationDaemon

/// Tests for assigning Unix users to apps.
@Suite struct AppUsersTests {
    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    private func assign(_ name: String, _ users: inout AppUsers, isTaken: Bool = false) -> Result<UInt32, DaemonError> {
        do throws(DaemonError) {
            return .success(try users.assign(BundleID("com.example.\(name)")) { _ in isTaken })
        } catch {
            return .failure(error)
        }
    }

    private func refusal(_ result: Result<UInt32, DaemonError>) -> String {
        if case .failure(let error) = result { error.description } else { "none" }
    }

    /// Goal: the error for "no free user" lists the apps that have the users, and no app that does not exist.
    @Test func whoHasTheUsersIsSaid() throws {
        var users = try AppUsers(range: 70_000...70_001, state: self.scratch.path)
        let one = try self.assign("One", &users).get()
        let taken = self.refusal(self.assign("Two", &users, isTaken: true))
        let two = try self.assign("Two", &users).get()
        let full = self.refusal(self.assign("Six", &users, isTaken: true))
        try users.giveBack(BundleID("com.example.One"))
        let six = try self.assign("Six", &users).get()
        #expect([one, two, six] == [70_000, 70_001, 70_000])
        #expect(taken.contains("1 belong to other apps, and 1 are taken on this machine"), "\(taken)")
        #expect(full.contains("2 belong to other apps; uninstall an app"), "\(full)")
    }

    /// Goal: a released user is assigned again after all others, even after restarts.
    @Test func aNumberThatCameBackIsTheLast() throws {
        var users = try AppUsers(range: 70_000...70_002, state: self.scratch.path)
        for name in ["One", "Two"] { _ = try self.assign(name, &users).get() }
        try users.giveBack(BundleID("com.example.Two"))
        try users.giveBack(BundleID("com.example.One"))
        var again = try AppUsers(range: 70_000...70_002, state: self.scratch.path)
        let given = try ["Three", "Four", "Five"].map { try self.assign($0, &again).get() }
        #expect(given == [70_002, 70_001, 70_000])
    }

    @Test(arguments: [
        #"{"com.example.A": 70000, "com.example.B": 70000}"#,
        #"{"users": {"com.example.A": 70000}, "returned": [70000]}"#,
        #"{"users": {}, "returned": [70000, 70000]}"#, #"{"users": {"com.example.A": 70000}}"#, "[]", "",
    ])
    func aFileThatMixesUsersUpIsRefused(_ text: String) throws {
        let path = AppUsers.path(in: self.scratch.path)
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: DaemonError.self) {
            try AppUsers(range: 70_000...70_009, state: self.scratch.path)
        }
        #expect(error?.description.contains("it records which user each app has") == true)
    }
}

/// Tests the choice of a user, without files.
@Suite struct UserNumbersTests {
    private static func app(_ name: String) -> BundleID { BundleID("com.example.\(name)") }

    @Test func theOneThatCameBackLongestAgoIsTheFirstOfThose() throws {
        var numbers = try #require(UserNumbers(returned: [12, 10, 99, 11]))
        // A user outside of the range stays known, but is not assigned. A user of an account or of a running process is
        // skipped.
        let given = ["A", "B", "C"].map { numbers.give(Self.app($0), in: 10...12) { $0 == 12 } }
        #expect(given == [10, 11, nil])
        #expect(numbers.returned == [12, 99])
        let back = numbers.giveBack(Self.app("A"))
        let none = numbers.giveBack(Self.app("A"))
        #expect(back == 10 && none == nil)
        let next = numbers.give(Self.app("C"), in: 10...12) { _ in false }
        #expect(next == 12)
        #expect(numbers.returned == [99, 10])
    }

    @Test func anAppKeepsItsNumber() throws {
        var numbers = try #require(UserNumbers())
        let first = numbers.give(Self.app("A"), in: 10...12) { _ in false }
        let again = numbers.give(Self.app("A"), in: 10...12) { _ in true }
        #expect(first == 10 && again == 10)
        #expect(numbers.bundle(of: 10) == Self.app("A"))
    }

    @Test func appsThatWouldFindNoneAreCounted() throws {
        var numbers = try #require(UserNumbers(returned: [11]))
        _ = numbers.give(Self.app("A"), in: 10...13) { _ in false }
        let apps = ["A", "B", "C", "D", "E"].map(Self.app)
        #expect(numbers.shortage(of: apps.prefix(4), in: 10...13) { _ in false } == 0)
        #expect(numbers.shortage(of: apps, in: 10...13) { _ in false } == 1)
        #expect(numbers.shortage(of: apps.prefix(4), in: 10...13) { $0 == 12 } == 1)
        #expect(numbers.shortage(of: apps, in: 1000...4_294_967_294) { _ in false } == 0)
        #expect(numbers.shortage(of: [Self.app("A")], in: 10...10) { _ in true } == 0)
    }
}
