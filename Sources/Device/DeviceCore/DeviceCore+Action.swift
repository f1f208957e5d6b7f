public import WhereaboutsLocationEngine
public import WhereaboutsVocabulary

extension DeviceCore {
    /// A command to the host, named in the imperative; to be performed in the order given.
    public enum Action: Sendable, Hashable {
        /// Save ``Engine/snapshot(now:)`` before any later action is visible outside; report the outcome.
        case save
        /// Store a push on disk; report the outcome.
        case keep(Push)
        /// Tell the gateway that a push is stored.
        case acknowledge(PushID)
        /// Delete a push from the disk: nothing more happens to it.
        case forget(PushID)
        case tell(ClientID, Engine.Message)
        /// Send a client its geocoder's result.
        case tellPlaces(ClientID, request: UInt64, GeocodeResult)
        /// Close a connection; its process continues and may connect again.
        case disconnect(ClientID)
        case people(Engine.PeopleOrder)
        /// Start, stop or end a process.
        case process(ProcessOrder)
        /// Record which apps' processes run, for the next service (``DeviceCore/runningApps``).
        case recordProcesses
        /// Switch on or off a sensor that has no source.
        case sensor(Sensor, isOn: Bool)
        /// Start or stop a source of positions.
        case source(SourceArbiter.Order)
        /// Send a fix to the recordings.
        case record(Fix)
        case gateway(Engine.GatewayOrder)
        /// Ask the geocoding server; report its answer.
        case lookUp(LookUpID, GeocodeQuestion)
        /// Answer an order.
        case answer(OrderID, OrderResult)
        case note(Note)
        /// Report that the host broke the contract; the state is unchanged.
        case complain(Unreachable)
        /// All processes have ended, or were killed: the service may end.
        case end
    }

    /// A command about a process.
    public enum ProcessOrder: Sendable, Hashable {
        /// Start an app; report whether the system did.
        case startApp(BundleID, arguments: [String], Lifecycle.Arrival)
        /// Ask the app's process to end (SIGTERM), and resume it so that it can react.
        case endApp(BundleID)
        /// End the app's process by force (SIGKILL), with all processes that it started.
        case killApp(BundleID)
        /// Stop the app's processes; nothing is sent to them until ``thaw(_:)``.
        case freeze(BundleID)
        /// Resume the app's processes.
        case thaw(BundleID)
        /// Start an app's location push service extension; report only its end.
        case startExtension(BundleID, LaunchID)
        /// End an extension's process by force, with all processes that it started.
        case killExtension(LaunchID)
    }
}
