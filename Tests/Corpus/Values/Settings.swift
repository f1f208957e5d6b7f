import CoreLocation

struct TrackingSettings: Codable, Equatable {
    enum Accuracy: String, Codable, CaseIterable {
        case navigation, best, tenMeters, hundredMeters, kilometer, threeKilometers, reduced

        var value: CLLocationAccuracy {
            switch self {
            case .navigation: kCLLocationAccuracyBestForNavigation
            case .best: kCLLocationAccuracyBest
            case .tenMeters: kCLLocationAccuracyNearestTenMeters
            case .hundredMeters: kCLLocationAccuracyHundredMeters
            case .kilometer: kCLLocationAccuracyKilometer
            case .threeKilometers: kCLLocationAccuracyThreeKilometers
            case .reduced: kCLLocationAccuracyReduced
            }
        }
    }

    var accuracy = Accuracy.best
    var filter: CLLocationDistance = kCLDistanceFilterNone
    var headingFilter: CLLocationDegrees = kCLHeadingFilterNone
    var timeout: TimeInterval = CLTimeIntervalMax
    var fallback: Int32 = CLAuthorizationStatus.notDetermined.rawValue

    var status: CLAuthorizationStatus { CLAuthorizationStatus(rawValue: fallback) ?? .notDetermined }
}

let nowhere = kCLLocationCoordinate2DInvalid
