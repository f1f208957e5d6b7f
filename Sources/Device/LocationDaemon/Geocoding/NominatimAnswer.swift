internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// A place, or an error, as a Nominatim-compatible server answers in the format `jsonv2`
/// (nominatim.org/release-docs/latest/api/Output).
struct NominatimAnswer: Decodable {
    /// The maximum number of places that are passed on; the request asks for as many.
    static let placesMax = 10
    /// The longest accepted text of a place, in bytes; names of streets and countries are far shorter.
    static let wordBytesMax = 200

    private let lat: String?
    private let lon: String?
    private let name: String?
    private let display_name: String?
    private let category: String?
    private let type: String?
    private let boundingbox: [String]?
    private let address: [String: String]?
    private let error: String?

    /// Reads the places in an answer, and encodes them for the clients; leaves out places without a position.
    static func places(in data: Data) -> GeocodeAnswer {
        let decoder = JSONReader()
        let answers: [NominatimAnswer]
        if let several = try? decoder.decode([NominatimAnswer].self, from: data) {
            answers = several
        } else if let one = try? decoder.decode(NominatimAnswer.self, from: data), one.lat != nil || one.error != nil {
            answers = one.error == nil ? [one] : []
        } else {
            return .unreachable("the geocoding server answered with something that is not an answer of Nominatim")
        }
        let result = WireGeocodeResult.with {
            $0.placemarks = answers.lazy.compactMap(\.placemark).prefix(self.placesMax).map(\.self)
        }
        guard !result.placemarks.isEmpty, let encoded: [UInt8] = try? result.serializedBytes() else { return .noResult }
        return .places(encoded)
    }

    private var placemark: WirePlacemark? {
        guard let latitude = self.lat.flatMap({ Double($0) }), let longitude = self.lon.flatMap({ Double($0) }),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return .with {
            $0.latitude = Int32((latitude * 1e7).rounded())
            $0.longitude = Int32((longitude * 1e7).rounded())
            $0.radius = self.radius(latitude)
            let shown =
                (self.name?.isEmpty == false
                ? self.name : self.display_name?.split(separator: ",").first.map(String.init))?
                .shown(bytesMax: Self.wordBytesMax)
            if let shown { $0.name = shown }
            if let value = self.first("road", "pedestrian", "footway", "path", "square") { $0.thoroughfare = value }
            if let value = self.first("house_number") { $0.subThoroughfare = value }
            if let value = self.first("city", "town", "village", "municipality", "hamlet") { $0.locality = value }
            if let value = self.first("suburb", "city_district", "borough", "quarter", "neighbourhood") {
                $0.subLocality = value
            }
            if let value = self.first("state", "region", "province") { $0.administrativeArea = value }
            if let value = self.first("county", "state_district") { $0.subAdministrativeArea = value }
            if let value = self.first("postcode") { $0.postalCode = value }
            if let value = self.first("country_code") { $0.isoCountryCode = value.uppercased() }
            if let value = self.first("country") { $0.country = value }
            if let shown, self.type == "ocean" { $0.ocean = shown }
            if let shown, self.isInlandWater { $0.inlandWater = shown }
            if let shown, ["tourism", "leisure", "historic"].contains(self.category) { $0.areasOfInterest = [shown] }
        }
    }

    private var isInlandWater: Bool {
        self.category == "waterway" || (self.category == "natural" && self.type == "water")
    }

    private func first(_ keys: String...) -> String? {
        keys.lazy.compactMap { self.address?[$0] }.first { !$0.isEmpty }?.shown(bytesMax: Self.wordBytesMax)
    }

    /// Half the longer side of the bounding box, in metres; 0 without a box.
    private func radius(_ latitude: Double) -> Double {
        let edges = self.boundingbox?.compactMap { Double($0) } ?? []
        guard edges.count == 4, edges.allSatisfy(\.isFinite) else { return 0 }
        // A degree of latitude is 111 km long.
        let north = abs(edges[1] - edges[0]) * 111_000
        let east = abs(edges[3] - edges[2]) * 111_000 * cos(latitude * .pi / 180)
        // The farthest points on Earth are 20,000 km apart.
        return min(max(north, east) / 2, 20_000_000)
    }
}
