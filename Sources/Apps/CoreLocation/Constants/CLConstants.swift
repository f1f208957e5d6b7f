public import Foundation

// Apple's headers declare these without values. They are those that several reimplementations agree on, but for two:
// `kCLLocationAccuracyReduced` and `kCLLocationCoordinate2DInvalid` are given differently (docs/compatibility.md).

/// As exact as can be, with all the sensors of a vehicle.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// As exact as can be.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// Reduced accuracy, even where the person granted more; a value that no other constant has.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// Every movement is told.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// Every turn is told.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// The longest distance, in metres.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The longest time, in seconds.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// A coordinate that is not on Earth.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)
