public import WhereaboutsAPNS

/// Why the push service did not accept a push.
public enum PushRejection: Error, Sendable, Hashable {
    /// The device token is no longer valid: the app stopped sharing, or the device dropped the registration.
    case unregistered
    /// The service refused the device token, without reporting that the device is gone.
    ///
    /// A wrong environment, or a gateway without a relay, causes this for all tokens, so the registration is kept.
    case tokenRefused(Reason)
    /// Temporary: the service is busy, or could not be reached.
    case temporary(String)
    /// Temporary, but for longer than a request lives: a relay accepts no pushes of this server now.
    case notNow(String)
    /// Permanent: the server's own credentials or request are wrong.
    case permanent(String)
}

extension PushRejection {
    /// Translates the push service's reason for a request.
    ///
    /// - Parameters:
    ///   - reason: the service's reason; nil when the service could not be reached or did not answer in time.
    ///   - relay: the reason of a vendor's relay; nil if no relay is involved.
    public init(_ reason: Reason?, relay: RelayWord? = nil) {
        self =
            switch relay {
            case nil, .apple?: Self.ofService(reason)
            // The relay's own `BadDeviceToken` says nothing about the token, which must be kept.
            case .notRelayed?: .permanent("the relay sends nothing for this app")
            case .noSender?: .permanent("the relay sends nothing for this server")
            case .notSealed?, .named?: .permanent("the relay accepts only sealed pushes")
            case .dayIsFull?: .notNow("the relay accepts no push now: this server has used up its pushes of today")
            case .mistakes?:
                .notNow("the relay accepts no push now: too many of this server's device tokens are unknown")
            case .vendor?: .notNow("the relay accepts no push now: Apple does not accept its vendor's key")
            case .unanswered?, .unsent?, .tooManyAtOnce?, .unknown?:
                .temporary("of the relay: \(relay?.rawValue ?? "")")
            }
    }

    private static func ofService(_ reason: Reason?) -> PushRejection {
        switch reason {
        case nil: .temporary("the push service could not be reached or did not answer in time")
        // Only Apple's 410 means that a device is gone.
        case .unregistered?, .expiredToken?: .unregistered
        case .badDeviceToken?: .tokenRefused(.badDeviceToken)
        case .deviceTokenNotForTopic?: .tokenRefused(.deviceTokenNotForTopic)
        case .tooManyProviderTokenUpdates?, .tooManyRequests?, .internalServerError?, .serviceUnavailable?, .shutdown?,
            .idleTimeout?:
            .temporary(reason?.rawValue ?? "")
        case let reason?: .permanent(reason.rawValue)
        }
    }
}
