public import WhereaboutsLocationEngine
public import WhereaboutsVocabulary

extension DeviceCore {
    /// A fact that a shell reports, named in the past tense.
    public enum Event: Sendable, Hashable {
        /// A fact that the core only passes to the engine: a fix, an answer, a token, a new app.
        case happened(Engine.Input)
        /// The service begins; the first event, once.
        case begun(Beginning)
        /// A connection was opened; its number is new, and the shell knows who is behind it.
        case connectionOpened(ClientID, Principal, Caller)
        /// A message came on a connection; the first one shows that the process is there.
        case messageReceived(ClientMessage, from: ClientID)
        /// A connection ended, or its peer broke the rules of the wire and was cut off.
        case connectionClosed(ClientID)
        /// The system started a process for ``DeviceCore/ProcessOrder/startApp``; it has shown nothing yet.
        case appStarted(BundleID)
        /// The system could not start it, and why, for people.
        case appNotStarted(BundleID, reason: String)
        /// A process of the app that the shell started, or took over, ended.
        case appEnded(BundleID, Engine.ProcessEnd)
        /// An extension's process ended, or could not be started.
        case extensionEnded(LaunchID, Engine.ProcessEnd)
        /// ``Action/save`` was done.
        case stateSaved
        /// ``Action/save`` failed, and why, for people.
        case stateNotSaved(reason: String)
        /// The gateway delivered a push.
        case pushArrived(Push)
        /// ``Action/keep(_:)`` was done.
        case pushKept(PushID)
        /// ``Action/keep(_:)`` failed, and why, for people.
        case pushNotKept(PushID, reason: String)
        /// A source of positions said something; its number is one of ``DeviceCore/sources``.
        case sourceReported(SourceCoordinator.Report, from: Int)
        /// Somebody records what the sources say, or nobody does any longer.
        case recordingChanged(isRecorded: Bool)
        /// ``Action/lookUp(_:_:)`` has its answer.
        case lookedUp(LookUpID, GeocodeAnswer)
        /// The device's owner, or a person, wants something done; the number is answered with ``Action/answer(_:_:)``.
        case ordered(Order, OrderID)
        /// The shell's timer fired; legal at any time.
        case deadlineReached
        /// The service has to end; what its processes let go of from here on is not their will.
        case endOrdered
    }

    /// The things that a new service finds.
    public struct Beginning: Sendable, Hashable {
        /// A process of an app that an earlier service started.
        public struct Process: Sendable, Hashable {
            /// The app.
            public var bundle: BundleID
            /// How it was shown last; nil: the process is gone.
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
        /// The pushes that an earlier service kept and did not deal with, the oldest first.
        public var pushes: [Push]

        /// Creates a beginning; the default is a device that begins for the first time.
        public init(management: Management = Management(), processes: [Process] = [], pushes: [Push] = []) {
            self.management = management
            self.processes = processes
            self.pushes = pushes
        }
    }
}

/// How a connection came to the device.
public struct Caller: Sendable, Hashable {
    /// The user whose process made it; nil: it was handed over at the start of the process.
    public var user: UInt32?
    /// Whether the process behind it is the one the shell started for the app.
    public var isLaunched: Bool
    /// How a process that the shell did not start is shown, by the word of the device's owner; never by its own.
    public var phase: Lifecycle.Phase

    /// Creates a caller; the default is a process that was handed its connection.
    public init(user: UInt32? = nil, isLaunched: Bool = true, phase: Lifecycle.Phase = .background) {
        self.user = user
        self.isLaunched = isLaunched
        self.phase = phase
    }
}
