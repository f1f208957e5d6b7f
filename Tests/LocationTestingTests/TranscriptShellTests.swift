internal import CoreLocation
internal import Foundation
internal import ShellTranscripts
internal import SwiftProtobuf
internal import Synchronization
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationTesting

/// Goal: the virtual device does what the transcripts say.
@Suite struct TranscriptShellTests {
    @Test(arguments: Transcript.all)
    func theVirtualDeviceDoesWhatTheTranscriptSays(_ transcript: Transcript) throws {
        var shell = VirtualShell()
        try shell.run(transcript)
    }
}

/// A virtual device whose app is controlled by the test.
private struct VirtualShell: TranscriptShell {
    /// The words observed while time passes, and the completion handler that the extension holds.
    final class Log: Sendable {
        private struct State {
            var words: [String] = []
            var completion: (@Sendable () -> Void)?
        }
        private let state = Mutex(State())

        func add(_ word: String) { self.state.withLock { $0.words.append(word) } }
        func take() -> [String] {
            self.state.withLock { state in
                defer { state.words = [] }
                return state.words
            }
        }
        func hold(_ completion: @escaping @Sendable () -> Void) { self.state.withLock { $0.completion = completion } }
        func complete() { self.state.withLock { $0.completion }?() }
    }

    /// An extension that reports its push and waits for the test.
    @MainActor final class Extension: NSObject, CLLocationPushServiceExtension {
        let log: Log
        init(_ log: Log) { self.log = log }
        func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void) {
            self.log.add("extension: push \(payload["number"] as? Int ?? 0)")
            self.log.hold(completion)
        }
        func serviceExtensionWillTerminate() {}
    }

    private let log = Log()
    private let device: VirtualDevice
    private let app: VirtualApp
    private var host: DeviceHost { self.device.host }
    private var keepsSilent = false
    /// The processes seen so far, and whether each was suspended or had ended at the last observation.
    private var seen: [Int: (isStopped: Bool, hasEnded: Bool)] = [:]
    private var kept: Set<PushID> = []

    init() {
        let log = self.log
        self.device = VirtualDevice(policy: Transcript.policy)
        self.app = self.device.install(
            AppUnderTest(
                Transcripts.app.rawValue,
                pushExtension: { Extension(log) },
                object: { NSObject() }
            )
        )
    }

    private var process: VirtualProcess? { self.host.processes.app(Transcripts.app) }

    mutating func perform(_ step: Transcript.Step) throws {
        switch step {
        case .keepSilent: self.keepsSilent = true
        case .speak: self.say(.with { $0.declaration = .init() })
        case .run: self.device.person.open(self.app)
        case .hide: self.device.person.leave(self.app)
        case .show: self.device.person.open(self.app)
        case .close: self.device.person.close(self.app)
        case .crash: self.app.crash()
        case .allowAlways: self.device.person.set(self.app, to: .always)
        case .sayTooMuch:
            self.say(.with { $0.declaration = Transcripts.wire(Transcripts.tooMuch) })
            self.pass(.seconds(2))
        case .askForToken: self.say(.with { $0.pushTokenRequest.request = 7 })
        case .readPositions: self.say(.with { $0.declaration = Transcripts.wire(Transcripts.reading) })
        case .fillDisk: self.host.service.disk.isFull = true
        case .emptyDisk: self.host.service.disk.isFull = false
        case .push(let number): self.push(number)
        case .complete: self.device.host.group.act { self.log.complete() }
        case .wait(let milliseconds): self.pass(.milliseconds(milliseconds))
        }
        self.pass(.milliseconds(100))
    }

    /// Lets time pass in small steps, so that a new process can be controlled before it does anything.
    private mutating func pass(_ duration: Duration) {
        var left = duration
        while left > .zero {
            self.takeHold()
            self.device.advance(by: .milliseconds(10))
            left -= .milliseconds(10)
        }
        self.takeHold()
    }

    private mutating func takeHold() {
        for process in self.host.processes.all where self.seen[process.number] == nil {
            self.seen[process.number] = (false, false)
            self.log.add(process.role == .app ? "app started" : "extension started")
            if process.role == .app { self.connect(process, isSilent: self.keepsSilent) }
        }
    }

    /// Connects a process as the client library does, and forwards its messages to the test.
    private func connect(_ process: VirtualProcess, isSilent: Bool) {
        let (host, log) = (self.host, self.log)
        let transport = VirtualTransport(host.clients, process: process)
        process.transport = transport
        nonisolated(unsafe) let device = host
        let number = process.number
        host.group.act {
            transport.start { event in
                switch event {
                case .connected:
                    if !isSilent { unsafe device.clients.received(.with { $0.declaration = .init() }, from: number) }
                case .disconnected: log.add("app cut")
                case .message(let message): if let word = message.word { log.add(word) }
                }
            }
        }
    }

    private func say(_ message: WireClientMessage) {
        guard let process = self.process else { return }
        self.host.group.act {
            self.host.clients.received(message, from: process.number)
            self.host.clients.takeInbox()
        }
    }

    private func push(_ number: UInt64) {
        let push = Push(
            id: PushID(high: 0, low: number),
            bundle: Transcripts.app,
            payload: Transcripts.payload(number),
            expiration: nil,
            received: self.host.time.instant
        )
        self.host.group.act {
            self.host.service.feed(.pushArrived(push))
            guard self.keepsSilent else { return }
            // Held before it runs, the extension shows nothing.
            for process in self.host.processes.living where process.role != .app {
                self.host.kernel.hold(process.number)
            }
        }
    }

    mutating func words(expected: Int) throws -> [String] {
        var words = self.log.take()
        for push in self.host.service.disk.pushes where !self.kept.contains(push.id) {
            self.kept.insert(push.id)
            words.append("kept \(push.id.low)")
        }
        for process in self.host.processes.all {
            guard let before = self.seen[process.number], !before.hasEnded else { continue }
            let isApp = process.role == .app
            if process.hasEnded {
                words.append(isApp ? "app ended" : "extension ended")
            } else if process.isSuspended != before.isStopped {
                words.append(process.isSuspended ? "app stopped" : "app goes on")
            }
            self.seen[process.number] = (process.isSuspended, process.hasEnded)
        }
        return words
    }
}

extension WireDaemonMessage {
    fileprivate var word: String? {
        switch self.body {
        case .state: "app: state"
        case .diagnostics: "app: diagnostics"
        case .pushToken: "app: token"
        default: nil
        }
    }
}
