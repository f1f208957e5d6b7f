internal import Foundation
internal import LocationWireMessages

/// What a geocoding server is asked; equal questions have equal answers.
struct GeocodingQuestion: Hashable, Sendable {
    /// The path and the query.
    let path: String
    /// As in Accept-Language.
    let languages: String

    /// The longest address, in bytes of UTF-8; no postal address comes near it.
    static var addressBytesMax: Int { 1024 }

    /// Reads an app's question.
    ///
    /// - Returns: nil when nothing can be the answer: an empty or endless address, a place that is not on Earth.
    init?(_ request: Whereabouts_Locationwire_V1_GeocodeRequest) {
        // A header must not hold line breaks; languages are letters, digits and a few signs.
        let languages = request.languages.filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-,;=.* ".contains($0))
        }
        self.languages = String(languages.prefix(256))
        switch request.question {
        case .address(let address):
            let address = address.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !address.isEmpty, address.utf8.count <= Self.addressBytesMax else { return nil }
            var items = [("format", "jsonv2"), ("addressdetails", "1"), ("limit", "10"), ("q", address)]
            if request.hasNear, let box = Self.box(request.near) { items.append(("viewbox", box)) }
            self.path = Self.path("/search", items)
        case .place(let place):
            guard Self.isOnEarth(place.latitude, place.longitude) else { return nil }
            self.path = Self.path(
                "/reverse",
                [
                    ("format", "jsonv2"), ("addressdetails", "1"), ("lat", Self.degrees(place.latitude)),
                    ("lon", Self.degrees(place.longitude)),
                ]
            )
        case nil: return nil
        }
    }

    private static func isOnEarth(_ latitude: Int32, _ longitude: Int32) -> Bool {
        latitude.magnitude <= 900_000_000 && longitude.magnitude <= 1_800_000_000
    }

    private static func degrees(_ value: Int32) -> String { String(format: "%.7f", Double(value) / 1e7) }

    /// The box around a circle, west, south, east, north; a preference, so rounded arithmetic will do.
    private static func box(_ circle: Whereabouts_Locationwire_V1_Circle) -> String? {
        guard self.isOnEarth(circle.latitude, circle.longitude), circle.radius > 0 else { return nil }
        // A degree of a meridian has 111 km.
        let north = min(circle.radius / 111_000, 90)
        let latitude = Double(circle.latitude) / 1e7
        let east = min(north / max(cos(latitude * .pi / 180), 0.01), 180)
        let longitude = Double(circle.longitude) / 1e7
        let edges = [
            max(longitude - east, -180), max(latitude - north, -90), min(longitude + east, 180),
            min(latitude + north, 90),
        ]
        return edges.map { String(format: "%.5f", $0) }.joined(separator: ",")
    }

    private static func path(_ path: String, _ items: [(String, String)]) -> String {
        // Letters, digits and these four are all that needs no percent sign (RFC 3986, 2.3).
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        let query = items.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }
        return "\(path)?\(query.joined(separator: "&"))"
    }
}
