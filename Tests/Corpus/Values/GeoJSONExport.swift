import CoreLocation

struct GeoJSONPoint: Encodable {
    let type = "Feature"
    let geometry: Geometry
    let properties: [String: Double]

    struct Geometry: Encodable {
        let type = "Point"
        let coordinates: [CLLocationDegrees]
    }

    init(_ location: CLLocation) {
        var coordinates = [location.coordinate.longitude, location.coordinate.latitude]
        if location.verticalAccuracy > 0 { coordinates.append(location.altitude) }
        geometry = Geometry(coordinates: coordinates)
        properties = [
            "speed": max(location.speed, 0), "course": location.course,
            "accuracy": location.horizontalAccuracy,
            "timestamp": location.timestamp.timeIntervalSince1970,
        ]
    }
}

func geoJSON(_ track: [CLLocation]) throws -> Data {
    try JSONEncoder().encode(track.map(GeoJSONPoint.init))
}
