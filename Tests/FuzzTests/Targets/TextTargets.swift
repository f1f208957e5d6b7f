internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsPushEngine

@testable internal import WhereaboutsLocationDaemon
@testable internal import WhereaboutsPushGateway

struct GeocodingTarget: FuzzTarget {
    private static let place =
        #"{"lat":"53.5438","lon":"9.9886","name":"Speicherstadt","display_name":"Speicherstadt, Hamburg","category":"tourism","#
        + #""type":"attraction","boundingbox":["53.54","53.55","9.98","10.00"],"address":{"road":"Am Sandtorkai","#
        + #""house_number":"1","city":"Hamburg","country":"Deutschland","country_code":"de","postcode":"20457"}}"#

    var seeds: [[UInt8]] {
        ["[\(Self.place)]", Self.place, #"{"error":"Unable to geocode"}"#, "[]"].map { Array($0.utf8) }
    }
    var words: [[UInt8]] {
        [
            "{", "}", "[", "]", "\"", ":", ",", "null", "nan", "inf", "\\u0000", "\\uD800", "\"lat\":",
            "\"boundingbox\":",
        ]
        .map { Array($0.utf8) }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard case .places(let encoded) = NominatimAnswer.places(in: Data(input)) else {
            return input.starts(with: [UInt8(ascii: "{")]) || input == Array("[]".utf8)
        }
        let places = try WireGeocodeResult(serializedBytes: encoded).placemarks
        for place in places {
            let isOnEarth = place.latitude.magnitude <= 900_000_000 && place.longitude.magnitude <= 1_800_000_000
            try Finding.unless(isOnEarth && place.radius >= 0 && place.radius.isFinite, "a place beside the Earth")
        }
        return true
    }
}

struct ProviderTokenTarget: FuzzTarget {
    private static func token(_ header: String, _ claims: String) -> [UInt8] {
        func segment(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        return Array("bearer \(segment(header)).\(segment(claims)).\(segment(String(repeating: "s", count: 64)))".utf8)
    }

    /// Claims with extreme times, since damage to base64 text cannot produce them.
    var seeds: [[UInt8]] {
        ["1800000000", "1800000000.5", "\"1800000000\"", "1800000000000", "-1", "1e14", "1e308", "\"nan\"", "\"inf\""]
            .map {
                Self.token(#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":\#($0)}"#)
            }
    }
    var words: [[UInt8]] { [".", "..", "=", "bearer ", " ", "e30", "MTIz"].map { Array($0.utf8) } }

    func check(_ input: [UInt8]) throws -> Bool {
        let reader = ProviderTokenReader(keys: [])
        switch reader.evidence(authorization: String(decoding: input, as: UTF8.self)) {
        case .verified: throw Finding("a token verified without a key")
        case .missing, .malformed, .unknownKey, .badSignature: break
        }
        return true
    }
}
