internal import Foundation
internal import WhereaboutsDeviceCore

/// A question in Nominatim's form.
extension GeocodeQuestion {
    /// The path and the query of the URL.
    var path: String {
        switch self.subject {
        case .address(let address, let near):
            var items = [("format", "jsonv2"), ("addressdetails", "1"), ("limit", "10"), ("q", address)]
            if let near { items.append(("viewbox", Self.box(near))) }
            return Self.path("/search", items)
        case .place(let latitude, let longitude):
            let items = [
                ("format", "jsonv2"), ("addressdetails", "1"), ("lat", Self.degrees(latitude)),
                ("lon", Self.degrees(longitude)),
            ]
            return Self.path("/reverse", items)
        }
    }

    private static func degrees(_ value: Int32) -> String { String(format: "%.7f", Double(value) / 1e7) }

    /// The bounding box of a circle: west, south, east, north.
    ///
    /// The server only prefers places in the box, so rounded arithmetic suffices.
    private static func box(_ circle: Circle) -> String {
        // A degree of latitude is 111 km long.
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
        // Only these characters need no percent encoding (RFC 3986, 2.3).
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        let query = items.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        }
        return "\(path)?\(query.joined(separator: "&"))"
    }
}
