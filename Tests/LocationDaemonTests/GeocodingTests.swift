internal import Foundation
internal import LocationEngine
internal import LocationWireMessages
internal import NIOCore
internal import NIOPosix
internal import SwiftProtobuf
internal import Testing

@testable internal import LocationDaemon

@Suite struct GeocodingTests {
    private typealias Request = Whereabouts_Locationwire_V1_GeocodeRequest
    private typealias Placemark = Whereabouts_Locationwire_V1_Placemark

    private static let townHall = """
        {"lat": "53.5503", "lon": "9.9924", "name": "Rathaus", "display_name": "Rathaus, Hamburg", "category": "tourism",
         "type": "attraction", "boundingbox": ["53.5498", "53.5508", "9.9915", "9.9933"], "address": {
         "road": "Rathausmarkt", "house_number": "1", "suburb": "Altstadt", "city": "Hamburg", "postcode": "20095",
         "country": "Deutschland", "country_code": "de"}}
        """

    /// Asks a server that behaves so.
    private func ask(
        _ behaviour: FakeNominatim.Behaviour,
        _ request: Request,
        patience: TimeAmount = .seconds(10)
    ) async throws -> (answer: GeocodingDesk.Answer, paths: [String]) {
        let group = MultiThreadedEventLoopGroup.singleton
        let nominatim = try await FakeNominatim(on: group, behaviour)
        let server = try GeocodingServer(nominatim.address + "/", group: group, patience: patience)
        let answer = await server.ask(try #require(GeocodingQuestion(request)))
        server.stop()
        try await nominatim.stop()
        return (answer, nominatim.paths)
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
        let placemark = try #require(try answer.get().first)
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
        #expect(try answer.get().count == 1)
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
        #expect(answer == .failure(.noResult))
    }

    @Test(
        arguments: [
            (200, "<html>"), (200, ""), (200, "{"), (200, "{}"), (200, "[1]"), (429, ""), (500, "[]"), (302, ""),
            (200, String(repeating: "[", count: GeocodingServer.answerBytesMax + 1)),
        ]
    )
    func whatIsNoAnswerIsTheNetworksFailure(_ status: Int, _ body: String) async throws {
        let (answer, _) = try await self.ask(.answer(status: status, body: body), self.place)
        guard case .failure(.network(let message)) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(!message.contains("53.55") && (status == 200 || message.contains("\(status)")))
    }

    @Test(arguments: [("91", "0"), ("NaN", "0"), ("0", "181"), ("x", "0"), ("inf", "0")])
    func aPlaceThatIsNotOnEarthIsNone(_ latitude: String, _ longitude: String) {
        let body = #"[{"lat": "\#(latitude)", "lon": "\#(longitude)"}]"#
        #expect(NominatimAnswer.placemarks(in: Data(body.utf8)) == .failure(.noResult))
    }

    @Test func whoDoesNotAnswerIsNotWaitedForLong() async throws {
        let (answer, _) = try await self.ask(.silence, self.place, patience: .milliseconds(200))
        guard case .failure(.network) = answer else { return #expect(Bool(false), "\(answer)") }
    }

    @Test func whoIsNotThereIsTheNetworksFailure() async throws {
        let server = try GeocodingServer(
            "http://127.0.0.1:9",
            group: .singletonMultiThreadedEventLoopGroup,
            patience: .milliseconds(200)
        )
        let answer = await server.ask(try #require(GeocodingQuestion(self.place)))
        server.stop()
        guard case .failure(.network) = answer else { return #expect(Bool(false), "\(answer)") }
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
        #expect(GeocodingQuestion(.init()) == nil)
        #expect(GeocodingQuestion(.with { $0.address = " \n" }) == nil)
        let longest = String(repeating: "a", count: GeocodingQuestion.addressBytesMax)
        #expect(GeocodingQuestion(.with { $0.address = longest }) != nil)
        #expect(GeocodingQuestion(.with { $0.address = longest + "a" }) == nil)
        #expect(GeocodingQuestion(.with { $0.place = .with { $0.latitude = 900_000_001 } }) == nil)
        #expect(GeocodingQuestion(.with { $0.place = .with { $0.longitude = .min } }) == nil)
    }

    @Test func languagesAreNoWayIntoTheHeaders() throws {
        let question = try #require(
            GeocodingQuestion(
                .with {
                    $0.address = "a"
                    $0.languages = "de-DE\r\nhost: x"
                }
            )
        )
        #expect(question.languages == "de-DEhost x")
    }

    // MARK: The desk

    private let first = BundleID("com.example.First")
    private let start = EngineInstant(sinceStart: .seconds(100))

    @Test func anAppAsksOnceASecondAndTenMoreWait() {
        var desk = GeocodingDesk()
        for turn in 0...10 { #expect(desk.asked(self.first, now: self.start) == .seconds(turn)) }
        #expect(desk.asked(self.first, now: self.start) == nil)
        #expect(desk.asked(BundleID("com.example.Second"), now: self.start) == .zero, "others notice nothing")
        #expect(desk.asked(self.first, now: self.start.advanced(by: .seconds(1))) == .seconds(10))
        #expect(desk.asked(self.first, now: self.start.advanced(by: .seconds(60))) == .zero)
    }

    @Test func answersAreKeptForADayAndFailuresOfTheNetworkNot() throws {
        var desk = GeocodingDesk()
        let question = try #require(GeocodingQuestion(self.place))
        desk.answered(question, .failure(.network("down")), now: self.start)
        #expect(desk.answer(to: question, now: self.start) == nil)
        desk.answered(question, .success([Placemark()]), now: self.start)
        #expect(desk.answer(to: question, now: self.start.advanced(by: .seconds(24 * 3600 - 1))) != nil)
        #expect(desk.answer(to: question, now: self.start.advanced(by: .seconds(24 * 3600))) == nil)
    }

    @Test func answersAreBounded() throws {
        var desk = GeocodingDesk()
        let questions = try (0...GeocodingDesk.answersMax).map { number in
            try #require(GeocodingQuestion(.with { $0.address = "\(number)" }))
        }
        for question in questions { desk.answered(question, .failure(.noResult), now: self.start) }
        #expect(desk.answer(to: questions[0], now: self.start) == nil)
        #expect(desk.answer(to: questions[1], now: self.start) == .failure(.noResult))
        #expect(questions.last.map { desk.answer(to: $0, now: self.start) } == .failure(.noResult))
    }
}
