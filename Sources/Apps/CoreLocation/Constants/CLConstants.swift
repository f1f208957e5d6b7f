public import Foundation

// Apple's headers declare these constants without values. Several reimplementations agree on the values below, except
// for `kCLLocationAccuracyReduced` and `kCLLocationCoordinate2DInvalid` (docs/compatibility.md).

/// The highest possible accuracy, with additional sensor data.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The highest possible accuracy.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// An accuracy of ten meters.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// An accuracy of a hundred meters.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// An accuracy of a kilometer.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// An accuracy of three kilometers.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// Approximate locations, even if full accuracy is allowed.
///
/// No other constant has this value.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// The distance filter that delivers all updates.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// The heading filter that delivers all headings.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// The largest distance, in meters.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The longest time, in seconds.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// A coordinate that is not on Earth.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)
