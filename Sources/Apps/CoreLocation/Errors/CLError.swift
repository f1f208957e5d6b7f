public import Foundation

/// The domain of ``CLError`` as an `NSError`.
public let kCLErrorDomain = "kCLErrorDomain"
/// Under which an error's user information holds the region that is watched instead.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// Why the location service could not do what it was asked.
///
/// ```swift
/// do {
///     let placemarks = try await geocoder.reverseGeocodeLocation(location)
/// } catch CLError.geocodeFoundNoResult {
///     // Nothing is there.
/// }
/// ```
public struct CLError: _BridgedStoredNSError, LocalizedError, Sendable {
    /// The kinds of errors, with Apple's raw values.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error that has such a code.
        public typealias _ErrorType = CLError

        /// The location cannot be determined now.
        case locationUnknown = 0
        /// The person refused, or location services are off.
        case denied = 1
        /// The service at the other end of a network could not be reached.
        case network = 2
        /// The heading cannot be determined.
        case headingFailure = 3
        /// The app may not watch regions.
        case regionMonitoringDenied = 4
        /// The region cannot be watched.
        case regionMonitoringFailure = 5
        /// The region is not watched yet.
        case regionMonitoringSetupDelayed = 6
        /// The region's events come late.
        case regionMonitoringResponseDelayed = 7
        /// There is no such place.
        case geocodeFoundNoResult = 8
        /// Only a part of the place was found.
        case geocodeFoundPartialResult = 9
        /// The app took the request back.
        case geocodeCanceled = 10
        /// Updates cannot be deferred.
        case deferredFailed = 11
        /// Updates cannot be deferred while there are none.
        case deferredNotUpdatingLocation = 12
        /// Updates cannot be deferred at that accuracy.
        case deferredAccuracyTooLow = 13
        /// Updates cannot be deferred with a distance filter.
        case deferredDistanceFiltered = 14
        /// Deferring was ended by the app or the system.
        case deferredCanceled = 15
        /// The device cannot range beacons now.
        case rangingUnavailable = 16
        /// Ranging failed.
        case rangingFailure = 17
        /// The person refused what a prompt offered, or it could not be shown.
        case promptDeclined = 18
        /// Past locations could not be read.
        case historicalLocationError = 19
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of the domain ``kCLErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == kCLErrorDomain, "a CLError must be of \(kCLErrorDomain), got \(error.domain)")
        self._nsError = error
    }

    /// The domain of the error as an `NSError`.
    public static var _nsErrorDomain: String { kCLErrorDomain }

    /// Whether two errors have the same code and information.
    public static func == (lhs: CLError, rhs: CLError) -> Bool {
        lhs._nsError.isEqual(rhs._nsError)
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self._nsError.code)
    }

    /// The region that is watched instead of the one that was asked for.
    public var alternateRegion: CLRegion? { self.userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// The fault, as the error's user information says it.
    public var errorDescription: String? { self.userInfo[NSLocalizedDescriptionKey] as? String }
}

extension CLError.Code {
    /// Lets `catch CLError.network` match, also an `NSError` of Core Location's domain.
    public static func ~= (code: CLError.Code, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == kCLErrorDomain && error.code == code.rawValue
    }
}
