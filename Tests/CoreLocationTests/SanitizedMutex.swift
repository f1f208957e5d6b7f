#if SANITIZE
internal import CoreLocation

/// The lock that ThreadSanitizer sees.
typealias Mutex = CoreLocation.Mutex
#endif
