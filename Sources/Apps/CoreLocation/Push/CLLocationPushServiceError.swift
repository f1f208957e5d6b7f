public import Foundation

/// The domain of errors of location pushes.
public let CLLocationPushServiceErrorDomain = "CLLocationPushServiceErrorDomain"

/// An error that says why an app receives no location pushes.
public struct CLLocationPushServiceError: _BridgedStoredNSError, LocalizedError, Sendable {
    /// The codes of errors, with the raw values of Apple's platforms.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The type of errors with these codes.
        public typealias _ErrorType = CLLocationPushServiceError

        /// No token is available now: locationd or the push gateway cannot be reached.
        case unknown = 0
        /// The app has no location push service extension.
        case missingPushExtension = 1
        /// The entitlement `aps-environment` is missing or was not approved.
        case missingPushServerEnvironment = 2
        /// The entitlement `com.apple.developer.location.push` is missing or was not approved.
        case missingEntitlement = 3
        /// The platform has no location pushes; never used by this device.
        case unsupportedPlatform = 4
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError`.
    ///
    /// - Parameter error: an error of the domain ``CLLocationPushServiceErrorDomain``.
    public init(_nsError error: NSError) {
        let domain = CLLocationPushServiceErrorDomain
        precondition(error.domain == domain, "a CLLocationPushServiceError must be of \(domain), got \(error.domain)")
        // Foundation on Linux reads the description of a bridged error only from here.
        var information = error.userInfo
        if information[NSLocalizedDescriptionKey] == nil {
            information[NSLocalizedDescriptionKey] = Code(rawValue: error.code)?.reason
        }
        self._nsError = NSError(domain: domain, code: error.code, userInfo: information)
    }

    /// The domain of the error, ``CLLocationPushServiceErrorDomain``.
    public static var _nsErrorDomain: String { CLLocationPushServiceErrorDomain }

    /// Returns whether two errors have the same code and user information.
    public static func == (lhs: CLLocationPushServiceError, rhs: CLLocationPushServiceError) -> Bool {
        lhs._nsError.isEqual(rhs._nsError)
    }

    /// A description of the error, with its remedy.
    public var errorDescription: String? { self.userInfo[NSLocalizedDescriptionKey] as? String }

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
    /// Returns whether an error has a code, also if it is an `NSError` of the domain
    /// ``CLLocationPushServiceErrorDomain``.
    public static func ~= (code: CLLocationPushServiceError.Code, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == CLLocationPushServiceErrorDomain && error.code == code.rawValue
    }

    /// The description of the error, with its remedy.
    fileprivate var reason: String {
        switch self {
        case .unknown:
            "There is no location push token now: locationd or the push gateway cannot be reached. Run `locationctl status`."
        case .missingPushExtension:
            "The app has no location push service extension: add one to PlugIns/, whose NSExtensionPointIdentifier is "
                + "com.apple.location.push.service."
        case .missingPushServerEnvironment:
            "The entitlement aps-environment is missing, or was not approved. Add it, and approve it at `locationctl install`."
        case .missingEntitlement:
            "The entitlement com.apple.developer.location.push is missing, or was not approved. Add it, and approve it at "
                + "`locationctl install`."
        case .unsupportedPlatform:
            "This platform has no location pushes."
        }
    }
}
