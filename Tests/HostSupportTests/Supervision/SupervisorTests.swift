internal import Dispatch
internal import Rig
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsHostSupport

/// Tests for the messages of sd_notify(3), on real sockets.
@Suite struct SupervisorTests {
    @Test(arguments: [false, true]) func aSupervisorHearsTheBeginningAndTheEnd(isAbstract: Bool) throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        let supervisor = Supervisor(environment: ["NOTIFY_SOCKET": socket.address], process: 1)
        try supervisor.serves()
        try supervisor.ends()
        #expect(socket.next() == "READY=1")
        #expect(socket.next() == "STOPPING=1")
    }

    @Test func nobodyIsToldWhereNobodyWaits() async throws {
        for environment in [[:], ["NOTIFY_SOCKET": ""], ["WATCHDOG_USEC": "1000000"]] {
            let supervisor = Supervisor(environment: environment, process: 1)
            try supervisor.serves()
            #expect(supervisor.pulse == nil)
            try await supervisor.watch { Issue.record("nobody watches") }
        }
    }

    @Test func aSignOfLifeComesTwiceInTheTimeAllowed() async throws {
        let socket = try NotifySocket()
        let environment = ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "2000", "WATCHDOG_PID": "7"]
        #expect(Supervisor(environment: environment, process: 8).pulse == nil)
        let supervisor = Supervisor(environment: environment, process: 7)
        #expect(supervisor.pulse == .milliseconds(1))
        let looks = Mutex(0)
        let watching = Task { try await supervisor.watch { looks.withLock { $0 += 1 } } }
        // Runs on a separate thread, because the watchdog may need the thread that would wait here.
        let words = await withCheckedContinuation { told in
            DispatchQueue.global().async { told.resume(returning: (0..<3).map { _ in socket.next() }) }
        }
        #expect(words == Array(repeating: "WATCHDOG=1", count: 3))
        watching.cancel()
        try await watching.value
        #expect(looks.withLock { $0 } >= 3)
    }

    @Test func aProcessThatIsNotWellGivesNoSign() async throws {
        struct Hangs: Error {}
        let socket = try NotifySocket()
        let environment = ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "2000"]
        let supervisor = Supervisor(environment: environment, process: 7)
        await #expect(throws: Hangs.self) { try await supervisor.watch { throw Hangs() } }
        try supervisor.ends()
        #expect(socket.next() == "STOPPING=1")
    }

    @Test(arguments: ["relative", "/nowhere/notify", "/" + String(repeating: "n", count: 107)])
    func aSocketThatCannotBeToldIsNamed(path: String) {
        let supervisor = Supervisor(environment: ["NOTIFY_SOCKET": path], process: 1)
        let failure = #expect(throws: SupervisionFailure.self) { try supervisor.serves() }
        #expect(failure?.description.contains(path) == true)
    }
}
