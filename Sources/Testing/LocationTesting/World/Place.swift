internal import CoreLocation
internal import WhereaboutsGeodesy

extension GeodeticCoordinate {
    /// A place on Earth; fails with the reason if the coordinates are invalid.
    init(_ place: CLLocationCoordinate2D) {
        guard CLLocationCoordinate2DIsValid(place),
            let coordinate = GeodeticCoordinate(latitude: place.latitude, longitude: place.longitude)
        else {
            preconditionFailure(
                "(\(place.latitude), \(place.longitude)) is not a place on Earth: latitudes are -90…90, longitudes -180…180"
            )
        }
        self = coordinate
    }

    var place: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: self.latitude, longitude: self.longitude)
    }
}
