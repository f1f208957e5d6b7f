public import Foundation

/// The domain of ``CLLocationPushServiceError`` as an `NSError`.
public let CLLocationPushServiceErrorDomain = "CLLocationPushServiceErrorDomain"

/// Why an app gets no location push token.
public struct CLLocationPushServiceError: _BridgedStoredNSError, Sendable {
    /// The kinds of errors, with Apple's raw values.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error that has such a code.
        public typealias _ErrorType = CLLocationPushServiceError

        /// The push gateway could not be reached, or locationd.
        case unknown = 0
        /// The app's bundle holds no location push service extension.
        case missingPushExtension = 1
        /// The entitlement `aps-environment` is missing or was not approved.
        case missingPushServerEnvironment = 2
        /// The entitlement `com.apple.developer.location.push` is missing or was not approved.
        case missingEntitlement = 3
        /// The platform has no location pushes.
        case unsupportedPlatform = 4
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of the domain ``CLLocationPushServiceErrorDomain``.
    public init(_nsError error: NSError) {
        let domain = CLLocationPushServiceErrorDomain
        precondition(error.domain == domain, "a CLLocationPushServiceError must be of \(domain), got \(error.domain)")
        self._nsError = error
    }

    /// The domain of the error as an `NSError`.
    public static var _nsErrorDomain: String { CLLocationPushServiceErrorDomain }

    /// Whether two errors have the same code and information.
    public static func == (lhs: CLLocationPushServiceError, rhs: CLLocationPushServiceError) -> Bool {
        lhs._nsError.isEqual(rhs._nsError)
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self._nsError.code)
    }

    /// See ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// See ``Code/missingPushExtension``.
    public static var missingPushExtension: Code { .missingPushExtension }
    /// See ``Code/missingPushServerEnvironment``.
    public static var missingPushServerEnvironment: Code { .missingPushServerEnvironment }
    /// See ``Code/missingEntitlement``.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// See ``Code/unsupportedPlatform``.
    public static var unsupportedPlatform: Code { .unsupportedPlatform }
}

extension CLLocationPushServiceError.Code {
    /// Lets `catch CLLocationPushServiceError.missingEntitlement` match, also an `NSError` of that domain.
    public static func ~= (code: CLLocationPushServiceError.Code, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == CLLocationPushServiceErrorDomain && error.code == code.rawValue
    }
}

extension CLLocationPushServiceError: LocalizedError {
    /// The fault, and its remedy.
    public var errorDescription: String? {
        switch self.code {
        case .unknown:
            "The location push token could not be had: locationd or the push gateway cannot be reached. "
                + "See `locationctl status`."
        case .missingPushExtension:
            "The app has no location push service extension: PlugIns/ holds no .appex whose NSExtensionPointIdentifier "
                + "is com.apple.location.push.service."
        case .missingPushServerEnvironment:
            "The entitlement aps-environment is missing, or was not approved at `locationctl install`."
        case .missingEntitlement:
            "The entitlement com.apple.developer.location.push is missing, or was not approved at `locationctl install`."
        case .unsupportedPlatform:
            "This platform has no location pushes."
        }
    }
}
