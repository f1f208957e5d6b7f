internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// A question to a geocoder.
struct GeocoderQuestion {
    /// The question in wire form; nil when it is invalid and has no answer.
    private(set) var message: WireGeocodeRequest?

    /// A question for the places at a location.
    static func place(_ location: CLLocation, _ locale: Locale?) -> GeocoderQuestion {
        guard CLLocationCoordinate2DIsValid(location.coordinate) else { return GeocoderQuestion() }
        return GeocoderQuestion(locale) {
            $0.place = .with {
                $0.latitude = Self.wire(location.coordinate.latitude)
                $0.longitude = Self.wire(location.coordinate.longitude)
            }
        }
    }

    /// A question for the places at an address.
    static func address(_ address: String, _ region: CLCircularRegion?, _ locale: Locale?) -> GeocoderQuestion {
        // locationd refuses longer addresses, and the length of a message is limited, too.
        guard !address.isEmpty, address.utf8.count <= 1024 else { return GeocoderQuestion() }
        return GeocoderQuestion(locale) {
            $0.address = address
            guard let region, CLLocationCoordinate2DIsValid(region.center) else { return }
            $0.near = .with {
                $0.latitude = Self.wire(region.center.latitude)
                $0.longitude = Self.wire(region.center.longitude)
                $0.radius = region.radius
            }
        }
    }

    private init() {}

    private init(_ locale: Locale?, _ fill: (inout WireGeocodeRequest) -> Void) {
        self.message = .with {
            $0.languages = (locale ?? .current).identifier(.bcp47)
            fill(&$0)
        }
    }

    private static func wire(_ degrees: CLLocationDegrees) -> Int32 { Int32((degrees * 1e7).rounded()) }
}

extension CLCircularRegion {
    /// The circle whose places come first.
    static func circle(_ center: CLLocation, _ radius: CLLocationDistance) -> CLCircularRegion {
        CLCircularRegion(center: center.coordinate, radius: radius, identifier: "")
    }
}

/// The unanswered questions of a geocoder.
final class GeocoderQuestions: Sendable {
    private let state = Mutex<(next: UInt64, waiting: [UInt64: UInt64?])>((0, [:]))

    var isAny: Bool { self.state.withLock { !$0.waiting.isEmpty } }

    /// The client's numbers of the questions.
    var requests: [UInt64] { self.state.withLock { $0.waiting.values.compactMap(\.self) } }

    func begin() -> UInt64 {
        self.state.withLock { state in
            state.next += 1
            state.waiting.updateValue(nil, forKey: state.next)
            return state.next
        }
    }

    /// Records the client's number of a question, unless it was answered already.
    func asked(_ number: UInt64, _ request: UInt64?) {
        self.state.withLock { state in
            if state.waiting[number] != nil { state.waiting.updateValue(request, forKey: number) }
        }
    }

    func end(_ number: UInt64) {
        self.state.withLock { _ = $0.waiting.removeValue(forKey: number) }
    }
}

extension CLPlacemark.Fields {
    init(_ placemark: WirePlacemark) {
        self.init()
        let center = CLLocationCoordinate2D(
            latitude: Double(placemark.latitude) / 1e7,
            longitude: Double(placemark.longitude) / 1e7
        )
        self.location = CLLocation(latitude: center.latitude, longitude: center.longitude)
        if placemark.radius > 0 {
            self.region = CLCircularRegion(center: center, radius: placemark.radius, identifier: placemark.name)
        }
        if placemark.hasName { self.name = placemark.name }
        if placemark.hasThoroughfare { self.thoroughfare = placemark.thoroughfare }
        if placemark.hasSubThoroughfare { self.subThoroughfare = placemark.subThoroughfare }
        if placemark.hasLocality { self.locality = placemark.locality }
        if placemark.hasSubLocality { self.subLocality = placemark.subLocality }
        if placemark.hasAdministrativeArea { self.administrativeArea = placemark.administrativeArea }
        if placemark.hasSubAdministrativeArea { self.subAdministrativeArea = placemark.subAdministrativeArea }
        if placemark.hasPostalCode { self.postalCode = placemark.postalCode }
        if placemark.hasIsoCountryCode { self.isoCountryCode = placemark.isoCountryCode }
        if placemark.hasCountry { self.country = placemark.country }
        if placemark.hasInlandWater { self.inlandWater = placemark.inlandWater }
        if placemark.hasOcean { self.ocean = placemark.ocean }
        if !placemark.areasOfInterest.isEmpty { self.areasOfInterest = placemark.areasOfInterest }
    }
}
