internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Feeds any sequence of events to the device's core; its actions are performed on time, late, or never.
struct DeviceCoreTarget: FuzzTarget {
    var seeds: [[UInt8]] { EngineTarget.stories(11...18) }

    func check(_ input: [UInt8]) throws -> Bool {
        var (draw, clocks) = (Draw(input), DrawnClocks())
        var core = DeviceCore(
            Engine(policy: Policy(), now: clocks.now),
            hasGeocoder: draw.bool(),
            sources: SourceCoordinator(coarse: Draw.sources, policy: Policy())
        )
        var owed: [DeviceCore.Event] = EngineTarget.beginning.prefix(2).map { .happened($0) }
        owed += [
            .connectionOpened(ClientID(1), Principal(bundle: Draw.first, role: .app), Caller(isLaunched: false)),
            .messageReceived(
                .declaration(Declaration(sessions: [.init(id: 1, requirement: .always)])),
                from: ClientID(1)
            ),
            .messageReceived(.pushTokenRequest(request: 1), from: ClientID(1)),
        ]
        for event in owed { _ = core.handle(event, now: clocks.now) }
        owed = []
        var hasSaid = false
        while !draw.isOver {
            let isOwed = !owed.isEmpty && !draw.rarely(3)
            let event = isOwed ? owed.remove(at: Int(draw.byte()) % owed.count) : draw.event(now: clocks.now)
            let actions = core.handle(event, now: clocks.now)
            hasSaid = hasSaid || !actions.isEmpty
            draw.heard(actions)
            for case .complain(let error) in actions { throw Finding("the core broke the engine's contract: \(error)") }
            owed = (owed + actions.compactMap { $0.report(&draw) }).suffix(64)
            try Self.settle(&core, clocks.now)
            clocks.pass(&draw)
            try Finding.unless(core.runningApps.count <= Draw.bundles.count, "an app runs twice")
        }
        return hasSaid
    }

    /// Handles all deadlines that have passed.
    private static func settle(_ core: inout DeviceCore, _ now: Now) throws {
        for _ in 0..<64 {
            guard let deadline = core.nextDeadline?.at, deadline <= now.monotonic else { return }
            _ = core.handle(.deadlineReached, now: now)
        }
        throw Finding("a deadline does not pass")
    }
}

extension DeviceCore.Action {
    /// The report of a shell that performed the action; nil: none is expected, or it is lost.
    fileprivate func report(_ draw: inout Draw) -> DeviceCore.Event? {
        let isDone = !draw.rarely(4)
        return switch self {
        case .save: isDone ? .stateSaved : .stateNotSaved(reason: "the disk is full")
        case .keep(let push): isDone ? .pushKept(push.id) : .pushNotKept(push.id, reason: "the disk is full")
        case .process(.startApp(let bundle, _, _)):
            isDone ? .appStarted(bundle) : .appNotStarted(bundle, reason: "no such file")
        case .process(.endApp(let bundle)), .process(.killApp(let bundle)): .appEnded(bundle, draw.end())
        case .process(.startExtension(let bundle, let launch)):
            isDone
                ? .connectionOpened(
                    draw.newClient(),
                    Principal(bundle: bundle, role: .pushExtension(launch)),
                    Caller()
                )
                : .extensionEnded(launch, draw.end())
        case .process(.killExtension(let launch)): .extensionEnded(launch, draw.end())
        case .disconnect(let client): isDone ? nil : .connectionClosed(client)
        case .lookUp(let lookUp, _): .lookedUp(lookUp, isDone ? .places([1]) : .unreachable("nobody is there"))
        default: nil
        }
    }
}

extension Draw {
    /// Remembers what was started and what was asked.
    fileprivate mutating func heard(_ actions: [DeviceCore.Action]) {
        for action in actions {
            switch action {
            case .process(.startExtension(let bundle, let launch)): self.extensionProcess = (bundle, launch)
            case .people(.presentPrompt(let prompt)): self.prompt = prompt.id
            default: break
            }
        }
    }
}
