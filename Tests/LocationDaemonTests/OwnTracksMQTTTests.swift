internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost

@testable internal import WhereaboutsLocationDaemon

private let mosquitto = "/usr/sbin/mosquitto"

/// Tests the example that locates a phone with OwnTracks over MQTT, unchanged, with mosquitto.
@Suite(
    .offPool,
    .timeLimit(.minutes(3)),
    .enabled(
        if: ExampleReceiver.hasPython
            && [mosquitto, "/usr/lib/python3/dist-packages/paho"].allSatisfy(FileManager.default.fileExists),
        "skipped: mosquitto or python3-paho-mqtt is not installed"
    )
)
struct OwnTracksMQTTTests {
    /// A phone that leaves an old position at the broker, and answers each request with a new one.
    private static let phone = """
        import json, sys, time
        import paho.mqtt.client as mqtt
        port, behaviour = int(sys.argv[1]), sys.argv[2]
        def location(latitude, moment):
            return json.dumps({"_type": "location", "lat": latitude, "lon": 9.9672, "acc": 12, "tst": moment})
        def received(client, _userdata, message):
            print("asked", json.loads(message.payload)["action"], flush=True)
            if behaviour == "answers": client.publish("owntracks/ada/pixel", location(53.5451, int(time.time())), qos=1)
        client = mqtt.Client()
        client.on_message = received
        client.connect("127.0.0.1", port)
        client.subscribe("owntracks/ada/pixel/cmd", qos=1)
        client.publish("owntracks/ada/pixel", location(1, int(time.time())), qos=1, retain=True)
        print("ready", flush=True)
        client.loop_forever()
        """

    private let receiver: ExampleReceiver

    init() throws { self.receiver = try ExampleReceiver("owntracks_mqtt.py") }

    /// Starts a broker at a free port.
    private func startBroker() throws -> (broker: Child, port: UInt16) {
        let port = try Loopback.freePort()
        let configuration = "listener \(port) 127.0.0.1\nallow_anonymous true\nuser root\n"
        try self.receiver.write(configuration, to: "mosquitto.conf")
        let broker = try self.receiver.child("broker", mosquitto, ["-c", self.receiver.path("mosquitto.conf")])
        let isRunning = Waiting.until(within: 30) { self.receiver.log("broker").contains("running") }
        #expect(isRunning, "\(self.receiver.log("broker"))")
        return (broker, port)
    }

    private func start(port: UInt16) throws -> Child {
        let options = ["--broker", "127.0.0.1", "--port", "\(port)", "--plain", "--topic", "owntracks/ada/pixel"]
        return try self.receiver.start(options)
    }

    /// Goal: a position that the broker retained does not count as the answer.
    @Test func aPhoneIsAskedAndItsAnswerPassedOn() async throws {
        let (broker, port) = try self.startBroker()
        defer { broker.terminate() }
        let phone = try self.receiver.child(
            "phone",
            ExampleReceiver.python,
            ["-c", Self.phone, "\(port)", "answers"]
        )
        defer { phone.terminate() }
        _ = try phone.waitForLine(within: 30) { $0 == "ready" }
        let (fixes, continuation) = AsyncStream.makeStream(of: Fix.self)
        let source = self.receiver.startSource { if case .measured(.fix(let fix)) = $0 { continuation.yield(fix) } }
        let program = try self.start(port: port)
        defer { program.terminate() }
        #expect(try phone.waitForLine(within: 30) { $0.hasPrefix("asked") } == "asked reportLocation")
        for await fix in fixes {
            #expect(fix.latitude == 535_451_000 && fix.longitude == 99_672_000 && fix.horizontalAccuracy == 12_000)
            break
        }
        source.stop()
    }

    @Test func aBrokerThatIsAwayIsNamed() throws {
        let source = self.receiver.startSource { _ in }
        let port = try Loopback.freePort()
        let program = try self.start(port: port)
        defer { program.terminate() }
        let words = "the broker 127.0.0.1:\(port) cannot be reached"
        #expect(Waiting.until(within: 40) { self.receiver.complaints.contains(words) }, "\(self.receiver.complaints)")
        source.stop()
    }
}
