internal import OrderedCollections
internal import ShellTranscripts
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import SystemSimulator

/// Goal: a simulated device does what the transcripts say.
@Suite struct TranscriptShellTests {
    @Test(arguments: Transcript.all)
    func theSimulatedDeviceDoesWhatTheTranscriptSays(_ transcript: Transcript) throws {
        var shell = SimulatedShell()
        try shell.run(transcript)
    }
}

/// A process that records the messages it receives.
private final class PuppetProcess: SimulatedProcess {
    var words: [String] = []
    var push: Push?

    override func told(_ state: Engine.ClientState) { if self.role == .app { self.words.append("app: state") } }
    override func told(_ diagnostics: SessionDiagnostics, of session: UInt64) { self.words.append("app: diagnostics") }
    override func told(_ token: Engine.PushTokenResult) { self.words.append("app: token") }
    override func received(_ push: Push) {
        self.push = push
        self.words.append("extension: push \(Transcripts.number(in: push.payload))")
    }
}

/// A device in a world without auditors, whose app is controlled by the test.
private struct SimulatedShell: TranscriptShell {
    private struct Seen {
        var isConnected = false
        var isStopped = false
        var hasEnded = false
    }

    private let world: Simulation
    private let device: DeviceNode
    private var processes: [PuppetProcess] { self.started.all }
    private let started = Started()
    private var seen: [Seen] = []
    private var kept: Set<UInt64> = []

    /// The processes, in the order they were started.
    private final class Started {
        var all: [PuppetProcess] = []
        var keepsSilent = false
    }

    private var bundle: BundleID { Names.bundle(0) }
    private var app: PuppetProcess? { self.processes.last { $0.role == .app } }

    init() {
        self.world = Simulation(.fleet(devices: 1, minutes: 1), keepsLines: false, takesCensus: false)
        self.world.isAudited = false
        self.device = self.world.devices[0]
        self.device.policy = Transcript.policy
        let started = self.started
        self.device.makeProcess = { bundle, role, phase, reason, device in
            let process = PuppetProcess(bundle, role, phase, reason, on: device)
            process.isSilent = started.keepsSilent
            started.all.append(process)
            return process
        }
        self.world.gateway.start()
        self.device.start()
        self.pass(.seconds(60))
    }

    private func pass(_ duration: Duration) { self.world.run(until: self.world.now.advanced(by: duration)) }

    mutating func perform(_ step: Transcript.Step) throws {
        let (device, bundle) = (self.device, self.bundle)
        switch step {
        case .keepSilent: self.started.keepsSilent = true
        case .speak: self.app.map { device.declared($0) }
        case .run, .show: device.perform { try device.open(bundle) }
        case .hide: device.perform { try device.hide(bundle) }
        case .close: device.perform { try device.close(bundle) }
        case .crash: device.perform { try device.end(bundle, .signalled(11)) }
        case .allowAlways: device.perform { try device.order(.change(.init(bundle: bundle, location: .always))) }
        case .sayTooMuch:
            // The declaration is lost with the connection; a client library would send its app's declaration again.
            self.app?.declare(Transcripts.tooMuch)
            self.pass(.microseconds(500))
            self.app?.forget()
            self.pass(.seconds(1))
        case .askForToken: self.app.map { device.requestPushToken($0) }
        case .readPositions: self.app?.declare(Transcripts.reading)
        case .fillDisk: device.fillDisk(until: self.world.now.advanced(by: .seconds(3600)))
        case .emptyDisk: device.heal()
        case .push(let number): self.push(number)
        case .complete:
            if let process = self.processes.last(where: { $0.push != nil }), let push = process.push {
                device.completed(push.id, process)
            }
        case .wait(let milliseconds): self.pass(.milliseconds(milliseconds))
        }
        self.pass(.milliseconds(150))
    }

    private func push(_ number: UInt64) {
        let push = Push(
            id: PushID(high: 0, low: number),
            bundle: self.bundle,
            payload: Transcripts.payload(number),
            expiration: nil,
            received: self.device.engineNow.monotonic
        )
        self.device.perform { try self.device.feed(.pushArrived(push)) }
    }

    mutating func words(expected: Int) throws -> [String] {
        var words: [String] = []
        for (index, process) in self.processes.enumerated() {
            let isApp = process.role == .app
            if index == self.seen.count {
                self.seen.append(Seen())
                words.append(isApp ? "app started" : "extension started")
            }
            let before = self.seen[index]
            guard !before.hasEnded else { continue }
            if !process.isAlive { words.append(isApp ? "app ended" : "extension ended") }
            if isApp, process.isAlive, before.isConnected, process.wasCut { words.append("app cut") }
            process.wasCut = false
            if process.isAlive, process.isFrozen != before.isStopped {
                words.append(process.isFrozen ? "app stopped" : "app goes on")
            }
            self.seen[index] = Seen(
                isConnected: true,
                isStopped: process.isFrozen,
                hasEnded: !process.isAlive
            )
            words += process.words
            process.words = []
        }
        for push in self.device.files.spool.keys where !self.kept.contains(push.low) {
            self.kept.insert(push.low)
            words.append("kept \(push.low)")
        }
        return words
    }
}
