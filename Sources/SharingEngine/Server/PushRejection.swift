public import APNS

/// Why the push service did not take a push.
public enum PushRejection: Error, Sendable, Hashable {
    /// The device token is no longer valid: the app stopped sharing, or the device dropped the registration.
    case unregistered
    /// It may work later: the service is busy, or could not be reached.
    case temporary(String)
    /// It will not work again: the server's own credentials or request are at fault.
    case permanent(String)
}

extension PushRejection {
    /// Nothing was sent: the device registered no key, and nobody on the way is to read a request.
    static let unsealable = PushRejection.permanent(
        "the device's app is too old to have requests sealed to it, and this server sends no others"
    )

    /// Translates the push service's word for a request.
    ///
    /// - Parameter reason: the reason it gave; nil when it could not be reached or did not answer in time.
    public init(_ reason: Reason?) {
        self =
            switch reason {
            case nil: .temporary("the push service could not be reached or did not answer in time")
            case .unregistered, .expiredToken, .badDeviceToken, .deviceTokenNotForTopic: .unregistered
            case .tooManyProviderTokenUpdates?, .tooManyRequests?, .internalServerError?, .serviceUnavailable?,
                .shutdown?,
                .idleTimeout?:
                .temporary(reason?.rawValue ?? "")
            case let reason?: .permanent(reason.rawValue)
            }
    }
}
