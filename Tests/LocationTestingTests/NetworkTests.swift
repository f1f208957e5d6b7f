internal import CoreLocation
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// Tests for the network between apps and a test's servers: which process executes code, and what happens when one
/// ends.
@Suite(.showsTimelines) struct NetworkTests {
    /// A server that counts, as slowly as the test says.
    private actor Counter {
        private let pause: Duration
        private(set) var count = 0

        init(pause: Duration = .zero) {
            self.pause = pause
        }

        func next() async throws -> Int {
            try await Task.sleep(for: self.pause)
            self.count += 1
            return self.count
        }
    }

    /// An app that sends one request at its launch.
    @MainActor private final class Asking {
        private(set) var reply: Result<Int, any Error>?
        private(set) var task: Task<Void, Never>?

        init(_ counter: Counter, within timeout: Duration = .seconds(60)) {
            self.task = Task {
                do {
                    self.reply = .success(try await VirtualNetwork.reach(within: timeout) { try await counter.next() })
                } catch {
                    self.reply = .failure(error)
                }
            }
        }

        var failure: VirtualNetwork.Failure? {
            guard case .failure(let error)? = self.reply else { return nil }
            return error as? VirtualNetwork.Failure
        }
    }

    private let device = VirtualDevice()

    private func open(_ bundle: String, _ counter: Counter, within timeout: Duration = .seconds(60)) -> VirtualApp {
        let app = self.device.install(AppUnderTest(bundle, object: { Asking(counter, within: timeout) }))
        self.device.person.open(app)
        return app
    }

    private func count(_ counter: Counter) -> Int? { self.device.elsewhere { await counter.count }.value }

    @Test func replyTakesTheServersTime() {
        let app = self.open("com.example.one", Counter(pause: .seconds(20)))
        self.device.advance(by: .seconds(19))
        #expect(app.read { (it: Asking) in it.reply == nil } == true)
        self.device.advance(by: .seconds(1))
        #expect(app.read { (it: Asking) in try? it.reply?.get() } == 1)
    }

    /// Method: the app ends during a request.
    ///
    /// A server that runs in the app's name would never run again, and the next app would wait forever.
    @Test func serverGoesOnWhenItsAppEnds() {
        let counter = Counter(pause: .seconds(20))
        let one = self.open("com.example.one", counter)
        self.device.advance(by: .seconds(10))
        one.terminate()
        let other = self.open("com.example.other", counter)
        self.device.advance(by: .seconds(30))
        #expect(other.read { (it: Asking) in try? it.reply?.get() } == 2)
        #expect(self.count(counter) == 2)
    }

    @Test func suspendedAppHearsWhenItGoesOn() {
        let counter = Counter(pause: .seconds(20))
        let app = self.open("com.example.one", counter)
        app.suspend()
        self.device.advance(by: .seconds(40))
        #expect(self.count(counter) == 1)
        app.resume()
        self.device.advance(by: .zero)
        #expect(app.read { (it: Asking) in try? it.reply?.get() } == 1)
    }

    @Test func lateServerIsGivenUp() {
        let counter = Counter(pause: .seconds(20))
        let app = self.open("com.example.one", counter, within: .seconds(5))
        self.device.advance(by: .seconds(5))
        #expect(app.read { (it: Asking) in it.failure } == .timedOut)
    }

    @Test func nothingGetsThroughInAirplaneMode() {
        self.device.person.switchAirplaneMode(on: true)
        let counter = Counter()
        let app = self.open("com.example.one", counter)
        self.device.advance(by: .seconds(1))
        #expect(app.read { (it: Asking) in it.failure } == .unreachable)
        #expect(self.count(counter) == 0)
    }

    @Test func replyIsLostWhenTheNetworkGoes() {
        let counter = Counter(pause: .seconds(20))
        let app = self.open("com.example.one", counter)
        self.device.advance(by: .seconds(10))
        self.device.person.switchAirplaneMode(on: true)
        self.device.advance(by: .seconds(49))
        #expect(self.count(counter) == 1)
        #expect(app.read { (it: Asking) in it.reply == nil } == true)
        self.device.advance(by: .seconds(1))
        #expect(app.read { (it: Asking) in it.failure } == .timedOut)
    }

    @Test func whoIsCancelledWaitsNoLonger() {
        let app = self.open("com.example.one", Counter(pause: .seconds(20)))
        self.device.advance(by: .seconds(1))
        app.read { (it: Asking) in it.task?.cancel() }
        self.device.advance(by: .zero)
        #expect(app.read { (it: Asking) in it.reply.map { (try? $0.get()) == nil } } == true)
    }

    @Test func piecesArriveOneByOneAndEndWithTheirReader() {
        let sent = Mutex(0)
        let read = Mutex<[Int]>([])
        let app = self.device.install(
            AppUnderTest(
                "com.example.one",
                main: {
                    let numbers = VirtualNetwork.stream { send in
                        for number in 1... {
                            try send(number)
                            sent.withLock { $0 = number }
                            try await Task.sleep(for: .seconds(10))
                        }
                    }
                    for try await number in numbers {
                        read.withLock { $0.append(number) }
                        if number == 3 { break }
                    }
                }
            )
        )
        self.device.person.open(app)
        self.device.advance(by: .seconds(15))
        #expect(read.withLock { $0 } == [1, 2])
        self.device.advance(by: .seconds(60))
        #expect(read.withLock { $0 } == [1, 2, 3] && sent.withLock { $0 } == 3)
    }

    @Test func codeOnNoDeviceIsTold() async {
        await #expect(throws: VirtualNetwork.Failure.noDevice) { try await VirtualNetwork.reach { 1 } }
        #expect(throws: VirtualNetwork.Failure.noDevice) { try VirtualNetwork.push(Data("{}".utf8), to: Data([1])) }
    }

    @Test func pushFindsItsAppByTheToken() {
        let unknown = self.device.elsewhere { try VirtualNetwork.push(Data("{}".utf8), to: Data([1, 2, 3])) }
        #expect(unknown.value == .unregistered)
    }

    @Test func errorElsewhereIsAProblemOfTheTest() {
        struct Strange: Error {}
        withKnownIssue {
            let done = self.device.elsewhere { throw Strange() }
            #expect(done.isOver && done.value == nil)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("the closure of elsewhere(_:) threw: Strange()") }
        }
    }

    // MARK: The real network

    private static func session(_ isShared: Bool) -> URLSession {
        isShared ? .shared : URLSession(configuration: .ephemeral)
    }

    private static func isRefusal(_ issue: Issue) -> Bool {
        issue.comments.contains {
            $0.rawValue.contains("sends a request with URLSession") && $0.rawValue.contains("VirtualNetwork.reach")
        }
    }

    /// A URLSession request fails at once and is reported: its answer would come in real time, on another thread.
    @Test(arguments: ["http://127.0.0.1:9/", "https://example.com/"], [true, false])
    func urlSessionIsRefused(_ address: String, isShared: Bool) throws {
        let url = try #require(URL(string: address))
        let app = self.device.install(
            AppUnderTest("com.example.one", object: { Downloads(Self.session(isShared), url) })
        )
        withKnownIssue {
            self.device.person.open(app)
            self.device.advance(by: .seconds(1))
        } matching: {
            Self.isRefusal($0) && $0.comments.contains { $0.rawValue.contains("com.example.one") }
        }
        let failures = app.read { (it: Downloads) in it.failures }
        #expect(failures == Array(repeating: .cannotConnectToHost, count: Downloads.ways))
    }

    @Test func urlSessionElsewhereIsRefused() throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        withKnownIssue {
            let done = self.device.elsewhere { (try? await URLSession.shared.data(from: url)) == nil }
            self.device.advance(by: .seconds(1))
            #expect(done.value == true)
        } matching: {
            Self.isRefusal($0)
        }
    }
}
