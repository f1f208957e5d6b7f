extension Engine {
    /// A command to the host, named in the imperative; to be executed in the order given.
    public enum Effect: Sendable, Hashable {
        /// Save ``Engine/snapshot(now:)`` before any later effect of the same input is visible outside.
        case persist
        /// Tell a client what its synchronous members answer from now on.
        case sendState(ClientState, to: ClientID)
        /// Give an element to a client's stream.
        case sendUpdate(Update, stream: UInt64, to: ClientID)
        /// Tell a session's holder how it stands.
        case sendDiagnostics(SessionDiagnostics, session: UInt64, to: ClientID)
        /// Answer a request for temporary full accuracy.
        case sendRequestResult(RequestResult, request: UInt64, to: ClientID)
        /// Answer a request for the location push token.
        case sendPushToken(PushTokenResult, request: UInt64, to: ClientID)
        /// Hand a push to an extension.
        case sendPush(Push, to: ClientID)
        /// Tell an extension that it will be terminated.
        case sendWarning(to: ClientID)
        /// Tell an extension that its work is done and it may exit.
        case sendFinish(to: ClientID)
        /// Cut a client off.
        case disconnect(ClientID)
        /// Show a question to a person; at most one is shown at a time.
        case presentPrompt(Prompt)
        /// Take a question back: it is answered, or cannot be answered any more.
        case withdrawPrompt(PromptID)
        /// Show people what goes on behind their backs: all of it, in place of what was shown before.
        case showIndicators([Indicator])
        /// Start an app into the background.
        case launchApp(BundleID, LaunchID, Lifecycle.LaunchReason)
        /// Stop the processes of an app; nothing is sent to them until ``thaw(_:)``.
        case freeze(BundleID)
        /// Let the processes of an app go on.
        case thaw(BundleID)
        /// Power the receiver up.
        case startReceiver
        /// Power the receiver down.
        case stopReceiver
        /// Start an app's location push service extension.
        case launchExtension(BundleID, LaunchID)
        /// Kill a process, and all it started.
        case killExtension(LaunchID)
        /// Ask the gateway for the token of an app's topic.
        case registerTopic(BundleID)
        /// Give an app's token back to the gateway.
        case unregisterTopic(BundleID)
        /// Tell the gateway for which apps pushes may come; replaces the previous list.
        case enableTopics([BundleID])
        /// The push is dealt with; forget its record on disk.
        case forgetPush(PushID)
        /// Write down a decision.
        case note(Note)

        /// Whether the effect tells nobody anything, so that it may precede ``persist``.
        var isPreparation: Bool {
            switch self {
            case .startReceiver, .launchExtension: true
            case .persist, .sendState, .sendRequestResult, .presentPrompt, .withdrawPrompt, .showIndicators, .launchApp,
                .freeze, .thaw, .sendUpdate, .sendDiagnostics, .sendPushToken, .sendPush, .sendWarning,
                .sendFinish, .disconnect, .stopReceiver, .killExtension, .registerTopic, .unregisterTopic,
                .enableTopics, .forgetPush, .note:
                false
            }
        }
    }

    /// What a client's synchronous members answer.
    public struct ClientState: Sendable, Hashable {
        /// The app's authorization.
        public var authorization: Authorization.Status
        /// Whether it may know the precise location.
        public var isPrecise: Bool
        /// Whether location services are on.
        public var servicesEnabled: Bool
        /// How the app is shown.
        public var phase: Lifecycle.Phase
        /// Why its process was started.
        public var launchReason: Lifecycle.LaunchReason
        /// Whether its Info.plist lets it work in the background.
        public var mayRunInBackground: Bool

        /// Creates the state.
        public init(
            authorization: Authorization.Status,
            isPrecise: Bool = true,
            servicesEnabled: Bool = true,
            phase: Lifecycle.Phase = .foreground,
            launchReason: Lifecycle.LaunchReason = .user,
            mayRunInBackground: Bool = false
        ) {
            self.authorization = authorization
            self.isPrecise = isPrecise
            self.servicesEnabled = servicesEnabled
            self.phase = phase
            self.launchReason = launchReason
            self.mayRunInBackground = mayRunInBackground
        }
    }

    /// What people see of an app while they look elsewhere.
    public struct Indicator: Sendable, Hashable {
        /// What is shown.
        public enum Kind: Sendable, Hashable {
            /// The app uses the location.
            case locationInBackground
            /// A line of the app's own.
            case liveActivity(title: String)
        }

        /// The app.
        public var bundle: BundleID
        /// What is shown.
        public var kind: Kind

        /// Creates an indicator.
        public init(bundle: BundleID, kind: Kind) {
            self.bundle = bundle
            self.kind = kind
        }
    }

    /// What became of a request for temporary full accuracy.
    public enum RequestResult: Sendable, Hashable {
        /// The person was asked, whatever they said.
        case presented
        /// Nobody was asked.
        case declined
    }

    /// The answer to a request for the location push token.
    public enum PushTokenResult: Sendable, Hashable {
        /// The token.
        case token([UInt8])
        /// Why there is none.
        case failure(PushTokenFailure)
    }

    /// Why an app gets no location push token; Apple's error codes.
    public enum PushTokenFailure: Sendable, Hashable {
        /// The gateway could not be reached in time.
        case unknown
        /// The bundle holds no location push service extension.
        case missingPushExtension
        /// The entitlement `aps-environment` is missing.
        case missingPushServerEnvironment
        /// The entitlement `com.apple.developer.location.push` is missing.
        case missingEntitlement
    }
}
