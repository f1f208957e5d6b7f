internal import NIOCore
internal import NIOPosix
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests for a mock's list of pushes, and the callers that wait for it.
@Suite struct MockHostTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let host = MockHost(
        script: MockScript(),
        policy: MockHost.Policy(),
        now: { WallTime(seconds: 1) },
        observe: { _ in }
    )

    private func receive(_ count: Int) {
        for _ in 0..<count { self.host.rejected(.badPath, nil, PushRequest(), id: "", on: 1) }
    }

    private func wait(after number: Int, count: Int, within time: TimeAmount = .seconds(60)) -> EventLoopFuture<[Int]> {
        self.host.pushes(after: number, count: count, within: time, on: self.loop).map { $0.map(\.number) }
    }

    @Test func aWaiterGetsThePushesAfterItsNumber() async throws {
        self.receive(3)
        let (past, future) = (self.wait(after: 1, count: 2), self.wait(after: 3, count: 2))
        self.receive(2)
        #expect(try await past.get() == [2, 3])
        #expect(try await future.get() == [4, 5])
        #expect(try await self.wait(after: 5, count: 1, within: .milliseconds(1)).get() == [])
    }

    /// Goal: after clearing the list, a waiting test does not need as many pushes as there were before.
    @Test func aWaiterStartsAgainWhenTheListIsCleared() async throws {
        self.receive(3)
        let (one, two) = (self.wait(after: 3, count: 1), self.wait(after: 2, count: 2))
        self.host.forgetPushes()
        self.receive(1)
        #expect(try await one.get() == [1])
        self.receive(1)
        #expect(try await two.get() == [1, 2])
    }

    @Test func aClearedListDoesNotTakeAwayWhatAWaiterWaitedFor() async throws {
        let waiting = self.wait(after: 0, count: 2)
        self.receive(2)
        self.host.forgetPushes()
        #expect(try await waiting.get() == [1, 2])
    }
}
