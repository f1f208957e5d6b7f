public import Foundation

/// The domain of errors of Core Location.
public let kCLErrorDomain = "kCLErrorDomain"
/// The key of an error's user information for the region that is monitored instead.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// An error of Core Location.
///
/// Match its code in a `catch` clause, which also matches an `NSError` of the domain ``kCLErrorDomain``:
///
/// ```swift
/// do {
///     let placemarks = try await geocoder.reverseGeocodeLocation(location)
/// } catch CLError.geocodeFoundNoResult {
///     // Nothing is there.
/// }
/// ```
public struct CLError: _BridgedStoredNSError, LocalizedError, Sendable {
    /// The codes of errors, with the raw values of Apple's platforms.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The type of errors with these codes.
        public typealias _ErrorType = CLError

        /// The device cannot find its location now; it keeps trying.
        case locationUnknown = 0
        /// The person denied access, or location services are off.
        case denied = 1
        /// The geocoding server cannot be reached, none is configured, or the app asks too often.
        case network = 2
        /// The device cannot find its heading.
        case headingFailure = 3
        /// The person denied access, so that the region is not monitored.
        case regionMonitoringDenied = 4
        /// The device cannot monitor the region, or the app monitors too many.
        case regionMonitoringFailure = 5
        /// The device cannot store the region now.
        case regionMonitoringSetupDelayed = 6
        /// Events of the region arrive late; never used by this device.
        case regionMonitoringResponseDelayed = 7
        /// The geocoding server found no place.
        case geocodeFoundNoResult = 8
        /// Only a part of the address was found; never used by this device.
        case geocodeFoundPartialResult = 9
        /// The app canceled the request.
        case geocodeCanceled = 10
        /// Updates cannot be deferred; never used by this device.
        case deferredFailed = 11
        /// Updates cannot be deferred, because none are delivered; never used by this device.
        case deferredNotUpdatingLocation = 12
        /// Updates cannot be deferred with this accuracy; never used by this device.
        case deferredAccuracyTooLow = 13
        /// Updates cannot be deferred with a distance filter; never used by this device.
        case deferredDistanceFiltered = 14
        /// The app or the system ended the deferring of updates; never used by this device.
        case deferredCanceled = 15
        /// Beacons cannot be ranged: no scanner listens, location services are off, or only reduced accuracy is
        /// allowed.
        case rangingUnavailable = 16
        /// Ranging failed; never used by this device.
        case rangingFailure = 17
        /// No prompt for full accuracy appeared: its key is missing, full accuracy is allowed already, or the app is
        /// in the background.
        case promptDeclined = 18
        /// Earlier locations cannot be read; never used by this device.
        case historicalLocationError = 19
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError`.
    ///
    /// - Parameter error: an error of the domain ``kCLErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == kCLErrorDomain, "a CLError must be of \(kCLErrorDomain), got \(error.domain)")
        self._nsError = error
    }

    /// The domain of the error, ``kCLErrorDomain``.
    public static var _nsErrorDomain: String { kCLErrorDomain }

    /// Returns whether two errors have the same code and user information.
    public static func == (lhs: CLError, rhs: CLError) -> Bool {
        lhs._nsError.isEqual(rhs._nsError)
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self._nsError.code)
    }

    /// The region that is monitored instead of the requested one, or `nil` if there is none.
    public var alternateRegion: CLRegion? { self.userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// A description of the error, if its user information has one.
    public var errorDescription: String? { self.userInfo[NSLocalizedDescriptionKey] as? String }
}

extension CLError.Code {
    /// Returns whether an error has a code, also if it is an `NSError` of the domain ``kCLErrorDomain``.
    public static func ~= (code: CLError.Code, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == kCLErrorDomain && error.code == code.rawValue
    }
}
