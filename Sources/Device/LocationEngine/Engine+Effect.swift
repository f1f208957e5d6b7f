public import WhereaboutsVocabulary

extension Engine {
    /// A command to the host, named in the imperative; to be executed in the order given.
    ///
    /// The cases are grouped by the part of the host that executes them, so that a further service adds no case.
    public enum Effect: Sendable, Hashable {
        /// Save ``Engine/snapshot(now:)`` before any later effect of the same input is visible outside.
        case persist
        /// Send a message to a client.
        case tell(ClientID, Message)
        case disconnect(ClientID)
        case people(PeopleOrder)
        /// Start, stop or end a process.
        case process(ProcessOrder)
        /// Power a sensor up or down.
        case sensor(Sensor, isOn: Bool)
        /// Prefer sources with this accuracy until the next such effect.
        case accuracy(NeededAccuracy)
        /// Send an order to the push gateway.
        case gateway(GatewayOrder)
        /// The push needs nothing more; delete its record from the disk.
        case forgetPush(PushID)
        case note(Note)

        /// Whether the effect informs no app, person or server, so that it may precede ``persist``.
        var isPreparation: Bool {
            switch self {
            case .sensor(_, let isOn): isOn
            case .process(.launchExtension), .accuracy: true
            case .process(.launchApp), .process(.killApp), .process(.freeze), .process(.thaw), .process(.killExtension),
                .persist, .tell, .disconnect, .people, .gateway, .forgetPush, .note:
                false
            }
        }
    }

    /// A message to a client.
    public enum Message: Sendable, Hashable {
        /// The values that the client's synchronous members return from now on.
        case state(ClientState)
        /// An element for a stream.
        case update(Update, stream: UInt64)
        case diagnostics(SessionDiagnostics, session: UInt64)
        case monitor(MonitorNews, monitor: UInt64)
        /// The answer to a request for temporary full accuracy.
        case requestResult(RequestResult, request: UInt64)
        /// The answer to a request for the location push token.
        case pushToken(PushTokenResult, request: UInt64)
        /// A push, for an extension.
        case push(Push)
        /// The extension will be terminated.
        case warning
        /// The extension's work is done and it may exit.
        case finish

        /// The stream whose unread last element this message replaces; only plain positions replace one another (ADR 0007).
        public var replacedStream: UInt64? {
            switch self {
            case .update(let update, let stream): update.diagnostics.isEmpty ? stream : nil
            case .state, .diagnostics, .monitor, .requestResult, .pushToken, .push, .warning, .finish: nil
            }
        }
    }

    /// A change on people's screens.
    public enum PeopleOrder: Sendable, Hashable {
        /// Show a question; at most one is shown at a time.
        case presentPrompt(Prompt)
        /// Withdraw a question that was answered, or cannot be answered any more.
        case withdrawPrompt(PromptID)
        /// Show the complete list of background activity, replacing the previous one.
        case showIndicators([Indicator])
    }

    /// An order about a process.
    public enum ProcessOrder: Sendable, Hashable {
        /// Start an app in the background.
        case launchApp(BundleID, LaunchID, Lifecycle.LaunchReason)
        /// End an app's process by force: it was launched and did not connect in time.
        case killApp(BundleID)
        /// Stop the processes of an app; nothing is sent to them until ``thaw(_:)``.
        case freeze(BundleID)
        /// Resume the processes of an app.
        case thaw(BundleID)
        /// Start an app's location push service extension.
        case launchExtension(BundleID, LaunchID)
        /// Kill an extension's process, and all processes that it started.
        case killExtension(LaunchID)
    }

    /// An order to the push gateway.
    public enum GatewayOrder: Sendable, Hashable {
        /// Request the token of an app's topic.
        case register(BundleID)
        /// Unregister an app's token.
        case unregister(BundleID)
        /// Enable pushes for exactly these apps.
        case enable([BundleID])
    }

    /// The values that a client's synchronous members return.
    public struct ClientState: Sendable, Hashable {
        /// The app's authorization.
        public var authorization: Authorization.Status
        /// Whether the app may receive the precise location.
        public var isPrecise: Bool
        /// Whether location services are on.
        public var servicesEnabled: Bool
        /// Whether the app is in the foreground.
        public var phase: Lifecycle.Phase
        /// Why the app's process was started.
        public var launchReason: Lifecycle.LaunchReason
        /// Whether the app's Info.plist allows work in the background.
        public var mayRunInBackground: Bool
        /// The maximum number of sessions, streams, and activities that the client may hold (``Policy/declarationsMax``).
        public var declarationsMax: Int
        /// Whether each sensor is known, or assumed, to exist.
        public var sensors: PerSensor<Bool>
        /// The regions of the app's managers.
        public var regions: [Region]
        /// Whether the app monitors visits: a process started it, and no process stopped it.
        public var monitorsVisits: Bool

        /// A region of a `CLLocationManager`.
        public struct Region: Sendable, Hashable {
            /// The app's own name for the region.
            public var identifier: String
            /// The watched area.
            public var condition: Condition
            /// The crossings that the app wants.
            public var notices: Notices
        }

        /// Creates the state.
        public init(
            authorization: Authorization.Status,
            isPrecise: Bool = true,
            servicesEnabled: Bool = true,
            phase: Lifecycle.Phase = .foreground,
            launchReason: Lifecycle.LaunchReason = .user,
            mayRunInBackground: Bool = false,
            declarationsMax: Int = Policy().declarationsMax,
            sensors: PerSensor<Bool> = PerSensor { $0.isAssumed },
            regions: [Region] = [],
            monitorsVisits: Bool = false
        ) {
            self.authorization = authorization
            self.isPrecise = isPrecise
            self.servicesEnabled = servicesEnabled
            self.phase = phase
            self.launchReason = launchReason
            self.mayRunInBackground = mayRunInBackground
            self.declarationsMax = declarationsMax
            self.sensors = sensors
            self.regions = regions
            self.monitorsVisits = monitorsVisits
        }
    }

    /// An indicator of an app in the background.
    public struct Indicator: Sendable, Hashable {
        /// The kinds of indicator.
        public enum Kind: Sendable, Hashable {
            /// The app uses the location.
            case locationInBackground
            /// A live activity of the app, shown as one line.
            case liveActivity(title: String)
            /// The app answers no location pushes until it is opened once.
            case sharingStopped
        }

        /// The app.
        public var bundle: BundleID
        /// The kind.
        public var kind: Kind

        /// Creates an indicator.
        public init(bundle: BundleID, kind: Kind) {
            self.bundle = bundle
            self.kind = kind
        }
    }

    /// The result of a request for temporary full accuracy.
    public enum RequestResult: Sendable, Hashable {
        /// The person was asked, and may have refused.
        case presented
        case declined
    }

    /// The answer to a request for the location push token.
    public enum PushTokenResult: Sendable, Hashable {
        case token([UInt8])
        case failure(PushTokenFailure)
    }

    /// Why an app gets no location push token; Apple's error codes.
    public enum PushTokenFailure: Sendable, Hashable {
        /// The gateway could not be reached in time.
        case unknown
        /// The bundle contains no location push service extension.
        case missingPushExtension
        /// The entitlement `aps-environment` is missing.
        case missingPushServerEnvironment
        /// The entitlement `com.apple.developer.location.push` is missing.
        case missingEntitlement
    }
}
