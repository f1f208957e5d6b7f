internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A device under test: an engine, a clock, and the effects of the last input.
struct Device {
    static let app = BundleID("com.example.FindFriends")
    static let manifest = AppManifest(
        explainsWhenInUse: true,
        explainsAlways: true,
        purposes: ["Navigation"],
        mayRunInBackground: true,
        mayReceiveLocationPushes: true,
        hasPushEnvironment: true,
        hasPushExtension: true
    )

    var engine: Engine
    var seconds: Double = 1000
    var effects: [Engine.Effect] = []
    private var pushes: UInt64 = 0

    /// Installs the app; decisions of the person, if there are any, are made in Settings.
    init(
        _ setting: Authorization.Setting? = nil,
        precise: Bool = true,
        policy: Policy = Policy(),
        manifest: AppManifest = Device.manifest
    ) {
        self.engine = Engine(policy: policy, now: Self.now(1000))
        self.feed(.appInstalled(Self.app, manifest))
        if let setting { self.feed(.authorizationSet(Self.app, setting)) }
        if !precise { self.feed(.accuracySet(Self.app, precise: false)) }
    }

    static func now(_ seconds: Double) -> Now {
        Now(
            monotonic: EngineInstant(sinceStart: .milliseconds(Int64((seconds * 1000).rounded()))),
            wall: WallTime(timeIntervalSince1970: 1_800_000_000 + seconds)
        )
    }

    var now: Now { Self.now(self.seconds) }

    @discardableResult
    mutating func feed(_ input: Engine.Input) -> [Engine.Effect] {
        do {
            self.effects = try self.engine.handle(input, now: self.now)
        } catch {
            self.effects = []
            Issue.record("\(error)")
        }
        return self.effects
    }

    /// Lets time pass and handles every deadline; returns all effects.
    @discardableResult
    mutating func pass(_ duration: Double) -> [Engine.Effect] {
        let end = self.seconds + duration
        var all: [Engine.Effect] = []
        var turns = 0
        while let deadline = self.engine.nextDeadline?.at, deadline <= Self.now(end).monotonic, turns < 10_000 {
            self.seconds = max(self.seconds, deadline.sinceStart / .seconds(1))
            all += self.feed(.deadlineReached)
            turns += 1
        }
        self.seconds = end
        return all
    }

    mutating func connect(_ client: UInt64, phase: Lifecycle.Phase = .foreground, isManaged: Bool = false) {
        let arrival = Lifecycle.Arrival(phase: phase, isManaged: isManaged)
        self.feed(.clientConnected(ClientID(client), Principal(bundle: Self.app, role: .app), arrival))
    }

    mutating func connectExtension(_ client: UInt64, launch: LaunchID) {
        self.feed(
            .clientConnected(
                ClientID(client),
                Principal(bundle: Self.app, role: .pushExtension(launch)),
                Lifecycle.Arrival(phase: .background, isManaged: true)
            )
        )
    }

    mutating func declare(
        _ client: UInt64,
        sessions: [(UInt64, Declaration.Session.Requirement)] = [],
        streams: [UInt64] = [],
        activities: [(UInt64, Declaration.Activity.Kind)] = []
    ) {
        self.declare(
            client,
            Declaration(
                sessions: sessions.map { Declaration.Session(id: $0.0, requirement: $0.1) },
                streams: streams.map { Declaration.Stream(id: $0) },
                activities: activities.map { Declaration.Activity(id: $0.0, kind: $0.1) }
            )
        )
    }

    mutating func declare(_ client: UInt64, _ declaration: Declaration) {
        self.feed(.clientDeclared(ClientID(client), declaration))
    }

    /// The prompt that the person sees.
    var asked: Prompt.Question? { self.engine.currentPrompt?.question }

    /// Answers the prompt that the person sees.
    mutating func answer(_ answer: Prompt.Answer) {
        guard let prompt = self.engine.currentPrompt else {
            Issue.record("nothing is asked")
            return
        }
        self.feed(.promptAnswered(prompt.id, answer))
    }

    var status: AppStatus? { self.engine.status(of: Self.app) }

    mutating func fix(latitude: Int32 = 425_000_000, accuracy: Int32? = 3000, age: Double = 0) {
        self.feed(
            .sensed(
                .fix(
                    Fix(
                        latitude: latitude,
                        longitude: 14_000_000,
                        horizontalAccuracy: accuracy,
                        time: WallTime(timeIntervalSince1970: self.now.wall.timeIntervalSince1970 - age),
                        arrival: self.now.monotonic
                    )
                )
            )
        )
    }

    /// A push that was never received before.
    mutating func push(expiration: WallTime? = nil) -> Push {
        self.pushes += 1
        let push = Push(
            id: PushID(high: 7, low: self.pushes),
            bundle: Self.app,
            payload: Array("{}".utf8),
            expiration: expiration,
            received: self.now.monotonic
        )
        self.feed(.pushReceived(push))
        return push
    }

    /// The app ran once in the foreground, has an `.always` session and Always, registered for pushes, and ended.
    static func sharing(policy: Policy = Policy()) -> Device {
        var device = Device(policy: policy)
        device.connect(1)
        device.declare(1, sessions: [(1, .always)])
        device.feed(.authorizationSet(Self.app, .always))
        device.feed(.pushTokenRequested(ClientID(1), request: 9))
        device.feed(.pushTokenReceived(Self.app, [1, 2, 3]))
        device.feed(.clientVanished(ClientID(1)))
        return device
    }

    /// The reason of the app launch that the last input requested.
    var relaunched: Lifecycle.LaunchReason? {
        self.effects.lazy.compactMap { if case .process(.launchApp(_, _, let reason)) = $0 { reason } else { nil } }
            .first
    }

    /// The state that the last input sent to a client; nil: none.
    func told(_ client: UInt64) -> Engine.ClientState? {
        self.effects.lazy.compactMap {
            if case .tell(ClientID(client), .state(let state)) = $0 { state } else { nil }
        }.first
    }

    /// The extension launch that the last input requested.
    var launched: LaunchID? {
        self.effects.lazy.compactMap { if case .process(.launchExtension(_, let launch)) = $0 { launch } else { nil } }
            .first
    }

    /// The last input's refusal of a push.
    var refused: Note.PushRefusal? {
        self.effects.lazy.compactMap {
            if case .note(.pushRefused(_, _, let reason)) = $0 { reason } else { nil }
        }.first
    }

    /// The updates that the last input delivered to a client's streams.
    func updates(to client: UInt64) -> [Update] {
        self.effects.compactMap {
            if case .tell(ClientID(client), .update(let update, _)) = $0 { update } else { nil }
        }
    }

    /// The diagnostics of a client's sessions that the last input delivered.
    func diagnostics(to client: UInt64) -> [SessionDiagnostics] {
        self.effects.compactMap {
            if case .tell(ClientID(client), .diagnostics(let told, _)) = $0 { told } else { nil }
        }
    }
}
