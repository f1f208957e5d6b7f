internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests the example that locates a phone through Home Assistant, unchanged, with a server that has Home Assistant's
/// documented API.
@Suite(
    .offPool,
    .timeLimit(.minutes(3)),
    .enabled(if: ExampleReceiver.hasPython, "skipped: python3 is not installed")
)
struct HomeAssistantTests {
    private static let token = "eyJhbGciOiJIUzI1NiJ9.test"

    /// Home Assistant with one phone.
    ///
    /// The argument says how the phone answers: `fresh` with a new position, `same` with the old position again, `silent` not
    /// at all. With `away` the server redirects. It prints its port, then each question.
    private static let server = """
        import datetime, http.server, json, sys, threading
        behaviour = sys.argv[1]
        def now(): return datetime.datetime.now(datetime.timezone.utc).isoformat()
        old = "2026-01-01T00:00:00.000000+00:00"
        attributes = {"source_type": "gps", "latitude": 53.5, "longitude": 9.9, "gps_accuracy": 65}
        state = {"entity_id": "device_tracker.ada", "state": "not_home", "attributes": attributes,
                 "last_changed": old, "last_updated": old, "last_reported": old}
        def answer():
            if behaviour == "fresh":
                attributes.update(latitude=53.5451, longitude=9.9672, gps_accuracy=12, altitude=8, vertical_accuracy=3,
                                  course=-1, speed=10)
                state.update(last_updated=now())
            state.update(last_reported=now())
        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self, status, body):
                content = json.dumps(body).encode()
                self.send_response(status)
                if status == 302: self.send_header("location", "http://127.0.0.1:1/")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                if behaviour == "away": return self.reply(302, {})
                if self.headers.get("authorization") != "Bearer eyJhbGciOiJIUzI1NiJ9.test": return self.reply(401, {})
                if self.path == "/api/states/device_tracker.ada": return self.reply(200, state)
                if self.path != "/api/services/notify/mobile_app_ada": return self.reply(404, {})
                print("asked", json.loads(body)["message"], flush=True)
                if behaviour != "silent": threading.Timer(0.5, answer).start()
                self.reply(200, [])
            do_GET = do_POST = handle_any
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("port", server.server_address[1], flush=True)
        server.serve_forever()
        """

    private let receiver: ExampleReceiver

    init() throws {
        self.receiver = try ExampleReceiver("home_assistant.py")
        try self.receiver.write(Self.token + "\n", to: "token")
        try self.receiver.write("wrong\n", to: "wrong")
    }

    private func serve(_ behaviour: String) throws -> (server: Child, url: String) {
        let server = try self.receiver.child("server", ExampleReceiver.python, ["-c", Self.server, behaviour])
        let line = try server.waitForLine(within: 30) { $0.hasPrefix("port ") }
        return (server, "http://127.0.0.1:" + line.dropFirst("port ".count))
    }

    private func start(_ url: String, token: String = "token", phone: String = "ada") throws -> Child {
        try self.receiver.start(["--url", url, "--token-file", self.receiver.path(token), "--phone", phone])
    }

    /// A source at the socket, and its reported events.
    private func source() -> (source: ReceiverSource, events: AsyncStream<FixSourceEvent>) {
        let (events, continuation) = AsyncStream.makeStream(of: FixSourceEvent.self)
        return (self.receiver.startSource { continuation.yield($0) }, events)
    }

    @Test func aPhoneIsAskedAndItsAnswerPassedOn() async throws {
        let (server, url) = try self.serve("fresh")
        defer { server.terminate() }
        let (source, events) = self.source()
        let program = try self.start(url)
        defer { program.terminate() }
        #expect(try server.waitForLine(within: 30) { $0.hasPrefix("asked") } == "asked request_location_update")
        for await event in events {
            guard case .measured(.fix(let fix)) = event else { continue }
            #expect(fix.latitude == 535_451_000 && fix.longitude == 99_672_000)
            #expect(fix.horizontalAccuracy == 12_000 && fix.speed == 10_000 && fix.course == nil)
            #expect(abs(fix.time.seconds - Int64(Date().timeIntervalSince1970)) < 10)
            break
        }
        source.stop()
        #expect(self.receiver.complaints.isEmpty)
    }

    /// A phone at rest reports the same position again, with an unchanged `last_updated`.
    @Test func aPositionThatDidNotChangeIsAnAnswerToo() async throws {
        let (server, url) = try self.serve("same")
        defer { server.terminate() }
        let (source, events) = self.source()
        let program = try self.start(url)
        defer { program.terminate() }
        for await event in events {
            guard case .measured(.fix(let fix)) = event else { continue }
            #expect(fix.latitude == 535_000_000 && fix.horizontalAccuracy == 65_000)
            break
        }
        source.stop()
    }

    /// Goal: a position from before the request is not passed on.
    ///
    /// After 25 s without an answer, the source is reported as lost.
    @Test func aPhoneThatDoesNotAnswerIsLost() async throws {
        let (server, url) = try self.serve("silent")
        defer { server.terminate() }
        let (source, events) = self.source()
        let program = try self.start(url)
        defer { program.terminate() }
        var ready: ContinuousClock.Instant?
        events: for await event in events {
            switch event {
            case .measured: Issue.record("a position from before the question")
            case .ready: ready = ready ?? .now
            case .lost: if ready != nil { break events }
            }
        }
        #expect(try ContinuousClock.now - #require(ready) > .seconds(23))
        source.stop()
    }

    @Test(arguments: [
        ("fresh", "wrong", "ada", "refuses the token (401)"), ("away", "token", "ada", "answered 302"),
        ("fresh", "token", "bob", "does not know services/notify"),
    ])
    func aRefusalIsExplained(_ behaviour: String, _ token: String, _ phone: String, _ words: String) throws {
        let (server, url) = try self.serve(behaviour)
        defer { server.terminate() }
        let (source, _) = self.source()
        let program = try self.start(url, token: token, phone: phone)
        defer { program.terminate() }
        #expect(Waiting.until(within: 30) { self.receiver.complaints.contains(words) }, "\(self.receiver.complaints)")
        #expect(!self.receiver.complaints.contains(Self.token))
        source.stop()
    }

    @Test(arguments: [
        (["--url", "http://homeassistant.local:8123", "--phone", "ada"], "Use https, or pass --plain-http"),
        (["--url", "homeassistant", "--phone", "ada"], "expected an address"),
        (["--url", "https://homeassistant.local"], "give --phone"),
        (["--url", "https://homeassistant.local", "--phone", "Ada's iPhone"], "expected lower-case letters"),
    ])
    func wrongArgumentsAreExplained(_ arguments: [String], _ words: String) throws {
        let program = try self.receiver.start(["--token-file", self.receiver.path("token")] + arguments)
        #expect(try program.waitForEnd(within: 30).status == 2)
        #expect(self.receiver.complaints.contains(words), "\(self.receiver.complaints)")
    }
}
