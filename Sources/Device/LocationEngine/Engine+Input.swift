public import WhereaboutsVocabulary

extension Engine {
    /// A fact from outside, named in the past tense.
    public enum Input: Sendable, Hashable {
        /// An app was installed, or installed again.
        case appInstalled(BundleID, AppManifest)
        /// An app was removed, with all its permissions.
        case appUninstalled(BundleID)
        /// A person switched location services.
        case servicesSwitched(on: Bool)
        /// The device's owner changed the rules.
        case managementChanged(Management)
        /// The system started a process of the app for the host; the process has not connected yet.
        case appStarted(BundleID, Lifecycle.Arrival)
        /// A process connected and sent its first message; its ID is new, and the host has identified the process.
        case clientConnected(ClientID, Principal, Lifecycle.Arrival)
        /// A client declared everything that it holds.
        case clientDeclared(ClientID, Declaration)
        /// A client changed the conditions of one of its monitors.
        case monitorChanged(ClientID, MonitorChange)
        /// The host's disk stopped or resumed accepting the state.
        case storageChanged(isAvailable: Bool)
        /// A manager asked for authorization.
        case authorizationRequested(ClientID, Authorization.Request)
        /// A manager requested full accuracy until the app is no longer in use.
        case fullAccuracyRequested(ClientID, purpose: String, request: UInt64)
        /// A client asked for its location push token.
        case pushTokenRequested(ClientID, request: UInt64)
        /// A client stopped monitoring location pushes.
        case pushMonitoringStopped(ClientID)
        /// A client's connection ended, for any reason.
        case clientVanished(ClientID)
        /// The host began to end the app's processes; claims that they release from now on count as lost with the process (ADR 0009).
        case terminationBegan(BundleID, by: Lifecycle.Cause)
        /// A process of the app that the host launched ended, or could not be started.
        case appExited(BundleID, ProcessEnd)
        /// A process that the host did not launch reported whether it is visible; only `.background` is accepted.
        case phaseReported(ClientID, Lifecycle.Phase)
        /// The app was shown to a person, or hidden.
        case phaseChanged(BundleID, Lifecycle.Phase)
        /// The system lets an app work in the background for a while, as for a background refresh; ignored when it is
        /// not suspended.
        case appWoken(BundleID)
        /// A person dismissed a live activity.
        case activityDismissed(BundleID, title: String)
        /// The device's display was lit.
        case displayLit
        /// A person set the app's authorization in Settings.
        case authorizationSet(BundleID, Authorization.Setting)
        /// A person set the app's accuracy in Settings.
        case accuracySet(BundleID, precise: Bool)
        /// A person answered a prompt; ignored when the prompt is gone, or the answer is not one of its choices.
        case promptAnswered(PromptID, Prompt.Answer)
        case sensed(SensorReport)
        /// The gateway issued the token of the app's topic.
        case pushTokenReceived(BundleID, [UInt8])
        /// The gateway unregistered the token of the app's topic.
        case topicUnregistered(BundleID)
        /// The token of the app's topic is not available now: the host has no gateway.
        case pushRegistrationFailed(BundleID)
        /// A push reached the device and is stored on its disk.
        case pushReceived(Push)
        /// A push that was received before the host restarted, and was not completed.
        case pushRecovered(Push)
        /// An extension called a push's completion.
        case pushCompleted(ClientID, PushID)
        /// An extension's process ended, or could not be started.
        case extensionExited(BundleID, LaunchID, ProcessEnd)
        /// The host's timer fired; ignored before the deadline.
        case deadlineReached
    }

    /// How a process ended.
    public enum ProcessEnd: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        /// The process could not be started; the number is the system's error.
        case neverStarted(Int32)
        /// The process did not connect within ``Policy/launchPatience``, and the host killed it.
        case neverConnected
    }
}
