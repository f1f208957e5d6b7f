/// An angle of latitude or longitude, in degrees.
public typealias CLLocationDegrees = Double
/// A radius of uncertainty, in metres; negative means the value it qualifies is invalid.
public typealias CLLocationAccuracy = Double
/// A speed, in metres a second; negative means invalid.
public typealias CLLocationSpeed = Double
/// The uncertainty of a speed, in metres a second; negative means invalid.
public typealias CLLocationSpeedAccuracy = Double
/// A direction, in degrees clockwise from true north; negative means invalid.
public typealias CLLocationDirection = Double
/// The uncertainty of a direction, in degrees; negative means invalid.
public typealias CLLocationDirectionAccuracy = Double
/// A distance, in metres.
public typealias CLLocationDistance = Double
/// One axis of a magnetic field, in microteslas.
public typealias CLHeadingComponentValue = Double
/// The number of a group of beacons.
public typealias CLBeaconMajorValue = UInt16
/// The number of a beacon in its group.
public typealias CLBeaconMinorValue = UInt16
/// The closure a geocoder calls with places, or with the reason that there are none.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void
