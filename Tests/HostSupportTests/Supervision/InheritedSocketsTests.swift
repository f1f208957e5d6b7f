internal import Testing

@testable internal import WhereaboutsHostSupport

/// Tests for the environment variables of sd_listen_fds(3).
@Suite struct InheritedSocketsTests {
    private static let names: Set<String> = ["apps", "control"]

    private static func sockets(_ environment: [String: String]) throws -> [String: Int32] {
        // Descriptors that no test has open: only the variables are read.
        try InheritedSockets(environment: environment, process: 7, names: self.names).descriptors
    }

    @Test func thereAreNoneWithoutASupervisor() throws {
        #expect(try Self.sockets([:]) == [:])
        #expect(try Self.sockets(["LISTEN_PID": "8", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "apps"]) == [:])
        #expect(try Self.sockets(["LISTEN_PID": "7", "LISTEN_FDS": "0"]) == [:])
    }

    @Test(arguments: [
        ("many", ""), ("-1", ""), ("17", ""), ("1", ""), ("1", "other"), ("2", "apps"), ("2", "apps:apps"),
    ])
    func aWrongHandOverIsNamed(count: String, names: String) {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": count, "LISTEN_FDNAMES": names]
        #expect(throws: InheritedSocketFailure.self) { try Self.sockets(environment) }
    }
}
