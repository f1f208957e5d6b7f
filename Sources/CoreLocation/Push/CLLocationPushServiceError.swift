public import Foundation

/// The domain of ``CLLocationPushServiceError`` as an `NSError`.
public let CLLocationPushServiceErrorDomain = "CLLocationPushServiceErrorDomain"

/// Why an app gets no location push token.
public struct CLLocationPushServiceError: Error, Equatable, Hashable, Sendable, CustomNSError {
    /// The kinds of errors, with Apple's raw values.
    public enum Code: Int, Sendable {
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

    /// The kind of error.
    public let code: Code

    /// Creates an error.
    public init(_ code: Code) {
        self.code = code
    }

    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { CLLocationPushServiceErrorDomain }
    /// The code of the error as an `NSError`.
    public var errorCode: Int { self.code.rawValue }

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

/// Lets `catch CLLocationPushServiceError.missingEntitlement` match.
public func ~= (code: CLLocationPushServiceError.Code, error: any Error) -> Bool {
    (error as? CLLocationPushServiceError)?.code == code
}

extension CLLocationPushServiceError: LocalizedError {
    /// What is wrong, and what to do about it.
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
