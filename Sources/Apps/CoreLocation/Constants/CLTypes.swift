/// A latitude, longitude or angle, in degrees.
public typealias CLLocationDegrees = Double
/// The accuracy of a coordinate or an altitude, in meters; negative if the value is invalid.
public typealias CLLocationAccuracy = Double
/// A speed, in meters per second; negative if it is invalid.
public typealias CLLocationSpeed = Double
/// The accuracy of a speed, in meters per second; negative if the speed is invalid.
public typealias CLLocationSpeedAccuracy = Double
/// A direction, in degrees clockwise from north; negative if it is invalid.
public typealias CLLocationDirection = Double
/// The accuracy of a direction, in degrees; negative if the direction is invalid.
public typealias CLLocationDirectionAccuracy = Double
/// A distance, in meters.
public typealias CLLocationDistance = Double
/// The magnetic field along one axis, in microteslas.
public typealias CLHeadingComponentValue = Double
/// The major number of a beacon.
public typealias CLBeaconMajorValue = UInt16
/// The minor number of a beacon.
public typealias CLBeaconMinorValue = UInt16
/// A closure that a geocoder calls with placemarks, or with a ``CLError``.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void
