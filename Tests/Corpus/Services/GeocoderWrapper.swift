import CoreLocation

final class AddressFinder {
    private let geocoder = CLGeocoder()

    func address(of location: CLLocation, completion: @escaping @Sendable (String?) -> Void) {
        if geocoder.isGeocoding { geocoder.cancelGeocode() }
        geocoder.reverseGeocodeLocation(location) { placemarks, error in
            guard error == nil else { return completion(nil) }
            completion(placemarks?.first?.name)
        }
    }

    func city(of location: CLLocation) async -> String? {
        do {
            return try await CLGeocoder().reverseGeocodeLocation(location, preferredLocale: Locale(identifier: "de"))
                .first?.locality
        } catch CLError.geocodeFoundNoResult, CLError.network {
            return nil
        } catch {
            return nil
        }
    }

    func coordinate(of address: String) async throws -> CLLocationCoordinate2D {
        let placemarks = try await CLGeocoder().geocodeAddressString(address)
        guard let coordinate = placemarks.first?.location?.coordinate else { throw CLError(.geocodeFoundNoResult) }
        return coordinate
    }
}

class MockGeocoder: CLGeocoder {
    override func geocodeAddressString(
        _ addressString: String,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        completionHandler(nil, CLError(.geocodeFoundNoResult))
    }
}
