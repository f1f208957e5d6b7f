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
            case .persist, .sendState, .sendUpdate, .sendDiagnostics, .sendPushToken, .sendPush, .sendWarning,
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

        /// Creates the state.
        public init(authorization: Authorization.Status) {
            self.authorization = authorization
        }
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
