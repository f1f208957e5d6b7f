import CoreLocation

extension CLAuthorizationStatus: @retroactive CustomStringConvertible {
    public var description: String {
        switch self {
        case .notDetermined: return "notDetermined"
        case .restricted: return "restricted"
        case .denied: return "denied"
        case .authorizedAlways: return "authorizedAlways"
        case .authorizedWhenInUse: return "authorizedWhenInUse"
        @unknown default: return "unknown"
        }
    }
}

extension CLProximity: @retroactive CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown: return "unknown"
        case .immediate: return "immediate"
        case .near: return "near"
        case .far: return "far"
        @unknown default: return "new"
        }
    }
}

extension CLActivityType: @retroactive CaseIterable {
    public static var allCases: [CLActivityType] {
        [.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne]
    }
}

extension CLRegionState {
    var title: String {
        switch self {
        case .inside: "Inside"
        case .outside: "Outside"
        case .unknown: "Unknown"
        }
    }
}

extension CLAccuracyAuthorization {
    var isPrecise: Bool { self == .fullAccuracy }
}

extension CLDeviceOrientation: CustomStringConvertible {
    public var description: String { "orientation \(rawValue)" }
}
