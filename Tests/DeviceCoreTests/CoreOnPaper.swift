internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A core whose actions are recorded as words; the test advances the time.
struct CoreOnPaper {
    static let app = BundleID("com.example.Test")
    static let client = ClientID(1)

    var core: DeviceCore
    private(set) var now = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(microseconds: 1_000_000))
    private var orders: UInt64 = 0

    init(policy: Policy = Policy(), hasGeocoder: Bool = false, coarse: [Bool]? = nil) {
        self.core = DeviceCore(
            Engine(policy: policy, now: self.now),
            hasGeocoder: hasGeocoder,
            sources: coarse.map { SourceCoordinator(coarse: $0, policy: policy) }
        )
        _ = self.report(.begun(.init()))
        _ = self.report(.happened(.appInstalled(Self.app, Self.manifest)))
        _ = self.report(.stateSaved)
    }

    static let manifest = AppManifest(
        explainsWhenInUse: true,
        explainsAlways: true,
        requiresExplicitSessions: false,
        purposes: [],
        defaultsToReducedAccuracy: false,
        mayRunInBackground: true,
        mayReceiveLocationPushes: true,
        hasPushEnvironment: true,
        hasPushExtension: true
    )

    /// Reports an event.
    ///
    /// - Returns: the words of the actions, without actions that only inform clients and people.
    mutating func report(_ event: DeviceCore.Event) -> [String] {
        self.core.handle(event, now: self.now).compactMap(\.word)
    }

    /// Orders something; returns the words of the actions.
    mutating func order(_ order: Order) -> [String] {
        self.orders += 1
        return self.report(.ordered(order, OrderID(self.orders)))
    }

    /// Lets time pass; returns the words of the actions on the way.
    mutating func wait(_ duration: Duration) -> [String] {
        let end = self.now.monotonic.advanced(by: duration)
        var words: [String] = []
        while let next = self.core.nextDeadline?.at, next <= end {
            self.move(to: max(next, self.now.monotonic))
            words += self.report(.deadlineReached)
        }
        self.move(to: end)
        return words
    }

    private mutating func move(to instant: EngineInstant) {
        let microseconds = Int64(instant.sinceStart / .microseconds(1))
        self.now = Now(monotonic: instant, wall: WallTime(microseconds: 1_000_000 + microseconds))
    }

    /// Opens a connection and declares everything that the app holds.
    mutating func connect(_ client: ClientID = Self.client, _ declaration: Declaration = Declaration()) -> [String] {
        self.report(.connectionOpened(client, Principal(bundle: Self.app, role: .app), Caller()))
            + self.report(.messageReceived(.declaration(declaration), from: client))
    }

    /// Has the app run in the foreground, connected, allowed Always, and registered for pushes.
    mutating func runsRegistered() {
        _ = self.order(.run(Self.app, .foreground))
        _ = self.report(.appStarted(Self.app))
        _ = self.connect()
        _ = self.order(.change(SettingsChange(bundle: Self.app, location: .always)))
        _ = self.report(.messageReceived(.pushTokenRequest(request: 1), from: Self.client))
        _ = self.report(.happened(.pushTokenReceived(Self.app, [1, 2, 3])))
        _ = self.wait(.seconds(1))
    }

    func push(_ number: UInt64, isObject: Bool = true) -> Push {
        Push(
            id: PushID(high: 0, low: number),
            bundle: Self.app,
            payload: Array("{}".utf8),
            isObject: isObject,
            priority: .immediate,
            expiration: nil,
            received: self.now.monotonic
        )
    }
}

extension DeviceCore.Action {
    /// The word for an action with a visible effect; nil for mere messages.
    fileprivate var word: String? {
        switch self {
        case .save: "save"
        case .keep(let push): "keep \(push.id.low)"
        case .acknowledge(let push): "acknowledge \(push.low)"
        case .forget(let push): "forget \(push.low)"
        case .tellPlaces(_, let request, let result): "places \(request): \(result.word)"
        case .disconnect: "disconnect"
        case .process(let order): order.word
        case .lookUp(let id, _): "look up \(id.rawValue)"
        case .answer(let order, let result): "answer \(order.rawValue): \(result.word)"
        case .end: "end"
        case .complain(let error): "complain: \(error.reason)"
        case .tell(_, .push(let push)): "hand \(push.id.low)"
        case .tell(_, .state): "state"
        case .source(.start(let number)): "start source \(number)"
        case .source(.stop(let number)): "stop source \(number)"
        case .record: "record"
        case .tell, .people, .recordProcesses, .sensor, .gateway, .note: nil
        }
    }
}

extension DeviceCore.ProcessOrder {
    fileprivate var word: String {
        switch self {
        case .startApp(_, _, let arrival): "start app (\(arrival.reason))"
        case .endApp: "end app"
        case .killApp: "kill app"
        case .freeze: "freeze"
        case .thaw: "thaw"
        case .startExtension(_, let launch): "start extension \(launch.rawValue)"
        case .killExtension: "kill extension"
        }
    }
}

extension OrderResult {
    fileprivate var word: String {
        switch self {
        case .done: "done"
        case .refused(let refusal):
            switch refusal {
            case .notInstalled: "not installed"
            case .notRunning: "not running"
            case .runsWithOtherArguments: "runs with other arguments"
            case .restricted: "restricted"
            case .servicesAreManaged: "services are managed"
            case .payloadIsNoObject: "no object"
            }
        case .failed(let reason): "failed: \(reason)"
        case .endedAtOnce: "ended at once"
        case .pushed(let fate): "pushed: \(fate)"
        }
    }
}

extension GeocodeResult {
    fileprivate var word: String {
        switch self {
        case .answer(.places): "places"
        case .answer(.noResult): "no result"
        case .answer(.unreachable): "unreachable"
        case .noServer: "no server"
        case .tooOften: "too often"
        }
    }
}
