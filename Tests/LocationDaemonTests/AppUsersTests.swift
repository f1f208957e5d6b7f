internal import LocationEngine
internal import Testing

@testable internal import LocationDaemon

/// The users of apps, as they are given away.
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

    /// Goal: whoever finds no user free is told whose they are, and of nobody who is not there.
    @Test func whoHasTheUsersIsSaid() throws {
        var users = try AppUsers(range: 70_000...70_001, state: self.scratch.path)
        let one = try self.assign("One", &users).get()
        let taken = self.refusal(self.assign("Two", &users, isTaken: true))
        let two = try self.assign("Two", &users).get()
        let full = self.refusal(self.assign("Six", &users, isTaken: true))
        try users.giveBack(BundleID("com.example.One"))
        let six = try self.assign("Six", &users).get()
        #expect([one, two, six] == [70_000, 70_001, 70_000])
        #expect(taken.contains("1 are other apps', and 1 are taken on this machine"), "\(taken)")
        #expect(full.contains("2 are other apps'; uninstall an app"), "\(full)")
    }
}
