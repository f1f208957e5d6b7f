internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

@Suite struct GeocodingTests {
    private typealias Request = WireGeocodeRequest
    private typealias Placemark = WirePlacemark

    private static let townHall = """
        {"lat": "53.5503", "lon": "9.9924", "name": "Rathaus", "display_name": "Rathaus, Hamburg", "category": "tourism",
         "type": "attraction", "boundingbox": ["53.5498", "53.5508", "9.9915", "9.9933"], "address": {
         "road": "Rathausmarkt", "house_number": "1", "suburb": "Altstadt", "city": "Hamburg", "postcode": "20095",
         "country": "Deutschland", "country_code": "de"}}
        """

    /// Sends a request to a server that behaves in this way.
    private func ask(
        _ behaviour: FakeNominatim.Behaviour,
        _ request: Request,
        patience: TimeAmount = .seconds(10)
    ) async throws -> (answer: GeocodeAnswer, paths: [String]) {
        let group = MultiThreadedEventLoopGroup.singleton
        let nominatim = try await FakeNominatim(on: group, behaviour)
        let server = try GeocodingServer(nominatim.address + "/", group: group, patience: patience)
        let answer = await server.ask(try #require(GeocodeQuestion(request)))
        server.stop()
        try await nominatim.stop()
        return (answer, nominatim.paths)
    }

    private func placemarks(_ answer: GeocodeAnswer) throws -> [Placemark] {
        guard case .places(let encoded) = answer else { return [] }
        return try WireGeocodeResult(serializedBytes: encoded).placemarks
    }

    private let place = Request.with {
        $0.place = .with {
            $0.latitude = 535_503_000
            $0.longitude = 99_924_000
        }
    }

    @Test func aPlaceIsAskedForAndRead() async throws {
        let (answer, paths) = try await self.ask(.answer(status: 200, body: Self.townHall), self.place)
        #expect(paths == ["/reverse?format=jsonv2&addressdetails=1&lat=53.5503000&lon=9.9924000"])
        let placemark = try #require(try self.placemarks(answer).first)
        #expect(placemark.latitude == 535_503_000 && placemark.longitude == 99_924_000)
        #expect(placemark.name == "Rathaus" && placemark.thoroughfare == "Rathausmarkt")
        #expect(placemark.subThoroughfare == "1" && placemark.subLocality == "Altstadt")
        #expect(placemark.locality == "Hamburg" && placemark.postalCode == "20095")
        #expect(placemark.country == "Deutschland" && placemark.isoCountryCode == "DE")
        #expect(placemark.areasOfInterest == ["Rathaus"] && !placemark.hasOcean && !placemark.hasInlandWater)
        #expect(placemark.radius > 50 && placemark.radius < 70)
    }

    @Test func anAddressIsEscaped() async throws {
        let request = Request.with {
            $0.address = " Straße & 1+1 = 2? "
            $0.near = .with {
                $0.latitude = 100_000_000
                $0.radius = 11_100
            }
        }
        let (answer, paths) = try await self.ask(.answer(status: 200, body: "[\(Self.townHall)]"), request)
        #expect(try self.placemarks(answer).count == 1)
        #expect(
            paths == [
                "/search?format=jsonv2&addressdetails=1&limit=10&q=Stra%C3%9Fe%20%26%201%2B1%20%3D%202%3F"
                    + "&viewbox=-0.10154%2C9.90000%2C0.10154%2C10.10000"
            ]
        )
    }

    @Test(arguments: [(200, "[]"), (200, #"{"error": "Unable to geocode"}"#), (404, "")])
    func noPlaceIsNoResult(_ status: Int, _ body: String) async throws {
        let (answer, _) = try await self.ask(.answer(status: status, body: body), self.place)
        #expect(answer == .noResult)
    }

    @Test(
        arguments: [
            (200, "<html>"), (200, ""), (200, "{"), (200, "{}"), (200, "[1]"), (429, ""), (500, "[]"), (302, ""),
            (200, String(repeating: "[", count: GeocodingServer.answerBytesMax + 1)),
        ]
    )
    func whatIsNoAnswerIsTheNetworksFailure(_ status: Int, _ body: String) async throws {
        let (answer, _) = try await self.ask(.answer(status: status, body: body), self.place)
        guard case .unreachable(let message) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(!message.contains("53.55") && (status == 200 || message.contains("\(status)")))
    }

    @Test(arguments: [("91", "0"), ("NaN", "0"), ("0", "181"), ("x", "0"), ("inf", "0")])
    func aPlaceThatIsNotOnEarthIsNone(_ latitude: String, _ longitude: String) {
        let body = #"[{"lat": "\#(latitude)", "lon": "\#(longitude)"}]"#
        #expect(NominatimAnswer.places(in: Data(body.utf8)) == .noResult)
    }

    @Test func whoDoesNotAnswerIsNotWaitedForLong() async throws {
        let (answer, _) = try await self.ask(.silence, self.place, patience: .milliseconds(200))
        guard case .unreachable = answer else { return #expect(Bool(false), "\(answer)") }
    }

    @Test func whoIsNotThereIsTheNetworksFailure() async throws {
        let server = try GeocodingServer(
            "http://127.0.0.1:9",
            group: .singletonMultiThreadedEventLoopGroup,
            patience: .milliseconds(200)
        )
        let answer = await server.ask(try #require(GeocodeQuestion(self.place)))
        server.stop()
        guard case .unreachable = answer else { return #expect(Bool(false), "\(answer)") }
    }

    // MARK: Addresses

    @Test(arguments: [
        "https://nominatim.example.org", "https://example.org/nominatim/", "http://localhost:8080",
        "http://127.3.2.1/x", "http://[::1]:80",
    ])
    func aServerIsOverTLSOrHere(_ address: String) throws {
        #expect(try !GeocodingServer.check(address).hasSuffix("/"))
    }

    @Test(arguments: [
        "http://nominatim.example.org", "http://127.0.0.1.example.org", "http://127.1", "ftp://localhost",
        "example.org",
        "", "https://", "https://user@example.org", "https://example.org/?key=1", "http://localhost.example.org",
    ])
    func anotherServerIsRefusedByName(_ address: String) {
        let error = #expect(throws: DaemonError.self) { try GeocodingServer.check(address) }
        #expect(error?.description.contains("'\(address)'") == true)
    }

    // MARK: Questions

    @Test func whatNothingAnswersIsNotAsked() {
        #expect(GeocodeQuestion(.init()) == nil)
        #expect(GeocodeQuestion(.with { $0.address = " \n" }) == nil)
        let longest = String(repeating: "a", count: GeocodeQuestion.addressBytesMax)
        #expect(GeocodeQuestion(.with { $0.address = longest }) != nil)
        #expect(GeocodeQuestion(.with { $0.address = longest + "a" }) == nil)
        #expect(GeocodeQuestion(.with { $0.place = .with { $0.latitude = 900_000_001 } }) == nil)
        #expect(GeocodeQuestion(.with { $0.place = .with { $0.longitude = .min } }) == nil)
    }

    @Test func languagesAreNoWayIntoTheHeaders() throws {
        let question = try #require(
            GeocodeQuestion(
                .with {
                    $0.address = "a"
                    $0.languages = "de-DE\r\nhost: x"
                }
            )
        )
        #expect(question.languages == "de-DEhost x")
    }
}
