public import WhereaboutsLocationEngine
public import WhereaboutsVocabulary

extension DeviceCore {
    /// A fact that a shell reports, named in the past tense.
    public enum Event: Sendable, Hashable {
        /// A fact that the core only passes to the engine: a fix, an answer, a token, a new app.
        case happened(Engine.Input)
        /// The service starts; the first event, once.
        case begun(Beginning)
        /// A connection was opened, with a new number; the host knows its process.
        case connectionOpened(ClientID, Principal, Caller)
        /// A message arrived on a connection; the first one shows that the process runs.
        case messageReceived(ClientMessage, from: ClientID)
        /// A connection ended, or its peer sent an invalid message and was disconnected.
        case connectionClosed(ClientID)
        /// The system started a process for ``DeviceCore/ProcessOrder/startApp``, which has not connected yet.
        case appStarted(BundleID)
        /// The system could not start the app; the reason is for people.
        case appNotStarted(BundleID, reason: String)
        /// A process of the app that the host started or adopted has ended.
        case appEnded(BundleID, Engine.ProcessEnd)
        /// An extension's process ended, or could not be started.
        case extensionEnded(LaunchID, Engine.ProcessEnd)
        /// ``Action/save`` was done.
        case stateSaved
        /// ``Action/save`` failed; the reason is for people.
        case stateNotSaved(reason: String)
        /// The gateway delivered a push.
        case pushArrived(Push)
        /// ``Action/keep(_:)`` was done.
        case pushKept(PushID)
        /// ``Action/keep(_:)`` failed; the reason is for people.
        case pushNotKept(PushID, reason: String)
        /// A source of positions sent a report; `from` is its number in ``DeviceCore/sources``, and 0 is the first choice.
        case sourceReported(SourceCoordinator.Report, from: Int)
        /// A recording of the sources started, or the last one ended.
        case recordingChanged(isRecorded: Bool)
        /// ``Action/lookUp(_:_:)`` received its answer.
        case lookedUp(LookUpID, GeocodeAnswer)
        /// The owner or a person gave an order; its ``Action/answer(_:_:)`` has the same identifier.
        case ordered(Order, OrderID)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
        /// The service must end. If its processes lose sessions from now on, these are not invalidated.
        case endOrdered
    }

    /// The state that a new service finds.
    public struct Beginning: Sendable, Hashable {
        /// A process of an app that an earlier service started.
        public struct Process: Sendable, Hashable {
            /// The app.
            public var bundle: BundleID
            /// How the process was last shown; nil: the process has ended.
            public var phase: Lifecycle.Phase?

            /// Creates the record of a process.
            public init(bundle: BundleID, phase: Lifecycle.Phase?) {
                self.bundle = bundle
                self.phase = phase
            }
        }

        /// The rules of the device's owner.
        public var management: Management
        /// The processes of an earlier service.
        public var processes: [Process]
        /// The pushes that an earlier service stored and did not complete, the oldest first.
        public var pushes: [Push]

        /// Creates a beginning; by default, of a device that starts for the first time.
        public init(management: Management = Management(), processes: [Process] = [], pushes: [Push] = []) {
            self.management = management
            self.processes = processes
            self.pushes = pushes
        }
    }
}

/// How a connection reached the device.
public struct Caller: Sendable, Hashable {
    /// The user of the connecting process; nil: the connection was inherited.
    public var user: UInt32?
    /// Whether the host started this process for the app.
    public var isLaunched: Bool
    /// How a process that the host did not start is shown, according to the device's owner; its own report does not count.
    public var phase: Lifecycle.Phase

    /// Creates a caller; by default, a process that inherited its connection.
    public init(user: UInt32? = nil, isLaunched: Bool = true, phase: Lifecycle.Phase = .background) {
        self.user = user
        self.isLaunched = isLaunched
        self.phase = phase
    }
}
