internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Goal: only the core decides whether sources run, which of them run, and whose positions count.
///
/// The shells start and stop them.
@Suite struct SourceCoordinatorTests {
    /// Every state of a device with a receiver (0) and a coarse source (1), reached by inputs before second 4.
    enum Start: CaseIterable {
        case idle, searching, delivering, failed, spare, compass, recorded, modest, modestRecorded

        var coordinator: SourceCoordinator {
            var coordinator = SourceCoordinator(coarse: [false, true], policy: Policy())
            switch self {
            case .idle: break
            case .searching: _ = coordinator.needChanged(of: .receiver, to: true, now: at(0))
            case .delivering:
                coordinator = Start.searching.coordinator
                _ = coordinator.reported(.measured(.fix(fix(at: 1))), from: 0, now: at(1))
            case .failed:
                coordinator = Start.delivering.coordinator
                _ = coordinator.reported(.lost, from: 0, now: at(2))
            case .spare:
                coordinator = Start.failed.coordinator
                _ = coordinator.reported(.measured(.fix(fix(at: 3))), from: 1, now: at(3))
            case .compass: _ = coordinator.needChanged(of: .compass, to: true, now: at(0))
            case .recorded: _ = coordinator.recordingChanged(to: true, now: at(0))
            case .modest:
                _ = coordinator.accuracyChanged(to: .hundredMetres, now: at(0))
                _ = coordinator.needChanged(of: .receiver, to: true, now: at(0))
            case .modestRecorded:
                coordinator = Start.modest.coordinator
                _ = coordinator.recordingChanged(to: true, now: at(1))
            }
            return coordinator
        }

        /// The outcomes of the inputs, in the order of ``Input``.
        var row: [String] {
            switch self {
            case .idle:
                [
                    "start 0", "", "start 0", "", "start 0", "", "", "", "", "", "", "", "", "",
                ]
            case .searching:
                [
                    "", "stop 0", "", "", "", "", "", "start 1", "ready", "fix", "heading",
                    "start 1, lost receiver, lost compass", "", "start 1",
                ]
            case .delivering:
                [
                    "", "stop 0", "", "", "", "", "", "start 1", "ready", "fix", "heading",
                    "start 1, lost receiver, lost compass", "", "start 1",
                ]
            case .failed:
                [
                    "", "stop 0, stop 1", "", "", "", "", "", "", "ready", "stop 1, fix", "heading", "", "fix", "",
                ]
            case .spare:
                [
                    "", "stop 0, stop 1", "", "", "", "", "", "stop 0", "", "", "heading", "", "fix", "",
                ]
            case .compass:
                [
                    "", "", "", "stop 0", "", "", "", "start 1", "ready", "fix", "heading",
                    "start 1, lost receiver, lost compass", "", "start 1",
                ]
            case .recorded:
                [
                    "", "", "", "", "", "stop 0", "", "", "ready", "record, fix", "heading",
                    "start 1, lost receiver, lost compass", "", "start 1",
                ]
            case .modest:
                [
                    "", "stop 1", "", "", "start 0", "", "start 0", "", "", "", "", "", "fix", "start 0",
                ]
            case .modestRecorded:
                [
                    "", "", "", "", "", "", "", "", "ready", "stop 1, record, fix", "heading", "", "record, fix", "",
                ]
            }
        }
    }

    enum Input: Int, CaseIterable {
        case needed, unneeded, compassNeeded, compassUnneeded, recorded, unrecorded, best, hundredMetres, ready, fix
        case heading, lost, fixOfOther, silence

        func apply(to coordinator: inout SourceCoordinator) -> [String] {
            switch self {
            case .needed: words(coordinator.needChanged(of: .receiver, to: true, now: at(4)))
            case .unneeded: words(coordinator.needChanged(of: .receiver, to: false, now: at(4)))
            case .compassNeeded: words(coordinator.needChanged(of: .compass, to: true, now: at(4)))
            case .compassUnneeded: words(coordinator.needChanged(of: .compass, to: false, now: at(4)))
            case .recorded: words(coordinator.recordingChanged(to: true, now: at(4)))
            case .unrecorded: words(coordinator.recordingChanged(to: false, now: at(4)))
            case .best: words(coordinator.accuracyChanged(to: .best, now: at(4)))
            case .hundredMetres: words(coordinator.accuracyChanged(to: .hundredMetres, now: at(4)))
            case .ready: words(coordinator.reported(.ready, from: 0, now: at(4)))
            case .fix: words(coordinator.reported(.measured(.fix(DeviceCoreTests.fix(at: 4))), from: 0, now: at(4)))
            case .heading:
                words(
                    coordinator.reported(
                        .measured(.heading(Heading(magnetic: 1, time: WallTime(seconds: 0), arrival: at(4)))),
                        from: 0,
                        now: at(4)
                    )
                )
            case .lost: words(coordinator.reported(.lost, from: 0, now: at(4)))
            case .fixOfOther:
                words(coordinator.reported(.measured(.fix(DeviceCoreTests.fix(at: 4))), from: 1, now: at(4)))
            case .silence: words(coordinator.deadlineReached(now: at(20)))
            }
        }
    }

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        try #require(start.row.count == Input.allCases.count)
        var coordinator = start.coordinator
        let said = input.apply(to: &coordinator).joined(separator: ", ")
        #expect(said == start.row[input.rawValue])
        // The host's timer never fires repeatedly: work for an instant is done at that instant.
        if case .silence = input { #expect(coordinator.deadline.map { $0 > at(20) } ?? true) }
    }

    /// Goal: beacons do not start sources of positions.
    ///
    /// A device for beacons needs no such source.
    @Test func theScannerIsNoSources() {
        var core = CoreOnPaper(coarse: [false])
        var actions: [DeviceCore.Action] = []
        core.core.power(.scanner, isOn: true, &actions, now: core.now)
        #expect(actions == [.sensor(.scanner, isOn: true)])
        #expect(core.core.sources?.isNeeded == false)
    }

    /// Goal: a shell with one piece of hardware for each sensor controls its power itself.
    @Test func withoutSourcesSensorsArePowered() {
        var (with, without) = (CoreOnPaper(coarse: [false]), CoreOnPaper())
        var (sources, sensors): ([DeviceCore.Action], [DeviceCore.Action]) = ([], [])
        with.core.power(.receiver, isOn: true, &sources, now: with.now)
        without.core.power(.receiver, isOn: true, &sensors, now: without.now)
        #expect(sources == [.source(.start(0))])
        #expect(sensors == [.sensor(.receiver, isOn: true)])
    }

    @Test func theNextSourceIsStartedWhenTheFirstFindsNothing() {
        var core = CoreOnPaper(coarse: [false, false])
        core.runsRegistered()
        #expect(core.hold(streams: true) == ["start source 0"])
        #expect(core.wait(.seconds(9)).ofSources == [])
        #expect(core.wait(.seconds(1)).ofSources == ["start source 1"])
        #expect(core.core.sources?.chosen == nil)
        _ = core.say(.measured(.fix(fix(at: 10))), from: 1)
        #expect(core.core.sources?.chosen == 1)
    }

    /// Goal: a recording receives every fix of the active source, even if no app needs one.
    @Test func aRecordingHasTheSourcesRun() {
        var core = CoreOnPaper(coarse: [true, false])
        #expect(core.report(.recordingChanged(isRecorded: true)) == ["start source 0"])
        #expect(core.say(.measured(.fix(fix(at: 0))), from: 0) == ["record"])
        #expect(core.say(.measured(.fix(fix(at: 0))), from: 1) == [], "it is off")
        #expect(core.report(.recordingChanged(isRecorded: false)) == ["stop source 0"])
        #expect(core.say(.measured(.fix(fix(at: 0))), from: 0) == [], "it came too late")
    }

    @Test func whatSourcesSayWhileTheServiceEndsIsNothing() {
        var core = CoreOnPaper(coarse: [false])
        _ = core.report(.recordingChanged(isRecorded: true))
        _ = core.report(.endOrdered)
        #expect(core.say(.measured(.fix(fix(at: 0))), from: 0) == [])
        #expect(core.report(.recordingChanged(isRecorded: false)) == [])
        #expect(core.core.nextDeadline == nil)
    }

    /// Goal: for all combinations of apps, recordings and source states, no source runs without a need, and a recording
    /// gets the best source.
    @Test(arguments: 1...40) func anyStoryKeepsTheRules(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var core = CoreOnPaper(coarse: [false, true, false])
        core.runsRegistered()
        var running: Set<Int> = []
        var isRecorded = false
        for _ in 0..<200 {
            let source = Int.random(in: 0...2, using: &generator)
            let ran = running.contains(source)
            var said: [String]
            switch Int.random(in: 0...7, using: &generator) {
            case 0:
                isRecorded.toggle()
                said = core.report(.recordingChanged(isRecorded: isRecorded)).ofSources
            case 1: said = core.hold(streams: Bool.random(using: &generator))
            case 2: said = core.say(.lost, from: source)
            case 3: said = core.say(.ready, from: source)
            default:
                let position = fix(at: core.now.monotonic.sinceStart / .seconds(1))
                said = core.say(.measured(.fix(position)), from: source)
                #expect(!said.contains("record") || isRecorded && ran)
            }
            said += core.wait(.seconds(Double.random(in: 0...4, using: &generator))).ofSources
            for word in said where word != "record" {
                let number = Int(word.suffix(1)) ?? -1
                if word.hasPrefix("start") {
                    #expect(running.insert(number).inserted)
                } else {
                    #expect(running.remove(number) != nil)
                }
            }
            #expect(core.core.sources?.isNeeded == !running.isEmpty)
            #expect(!isRecorded || running.contains(0))
            #expect((0...2).allSatisfy { core.core.sources?.runs($0) == running.contains($0) })
        }
    }
}

private func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

private func fix(at seconds: Double) -> Fix {
    Fix(
        latitude: 1,
        longitude: 1,
        horizontalAccuracy: 5000,
        time: WallTime(seconds: 0),
        arrival: at(seconds)
    )
}

private func words(_ orders: [SourceArbiter.Order]) -> [String] {
    orders.map { order in
        switch order {
        case .start(let number): "start \(number)"
        case .stop(let number): "stop \(number)"
        }
    }
}

private func words(_ result: SourceCoordinator.OnReport) -> [String] {
    let sensed = result.sensed.map { report in
        switch report {
        case .ready: "ready"
        case .lost(let sensor): "lost \(sensor)"
        case .measured(.fix): "fix"
        case .measured(.heading): "heading"
        case .measured, .scanned: "no word of a source's"
        }
    }
    return words(result.orders) + (result.recorded == nil ? [] : ["record"]) + sensed
}

extension [String] {
    /// The words of the actions that concern sources.
    fileprivate var ofSources: [String] { self.filter { $0.contains("source") || $0 == "record" } }
}

extension CoreOnPaper {
    /// Declares a stream of the app, or none; returns the actions that concern sources.
    fileprivate mutating func hold(streams: Bool) -> [String] {
        let held = Declaration(
            sessions: [.init(id: 1, requirement: .always)],
            streams: streams ? [.init(id: 2)] : []
        )
        return self.report(.messageReceived(.declaration(held), from: Self.client)).ofSources
    }

    fileprivate mutating func say(_ report: SourceCoordinator.Report, from source: Int) -> [String] {
        self.report(.sourceReported(report, from: source)).ofSources
    }
}
