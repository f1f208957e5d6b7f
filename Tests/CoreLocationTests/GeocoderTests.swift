internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

@Suite(.timeLimit(.minutes(1))) struct GeocoderTests {
    private let device = FakeDevice()
    private let client: LocationClient
    private let here = CLLocation(latitude: 53.5503, longitude: 9.9924)

    init() {
        self.client = LocationClient(transport: self.device)
    }

    /// The questions, once there are that many.
    private func questions(_ count: Int = 1) async -> [WireGeocodeRequest] {
        await self.device.wait { self.device.geocodeRequests.count >= count }
        return self.device.geocodeRequests
    }

    private func answer(
        _ request: UInt64,
        _ fill: (inout WireGeocodeResult) -> Void
    ) {
        self.device.tell(
            .with {
                $0.geocodeResult = .with(fill)
                $0.geocodeResult.request = request
            }
        )
    }

    private func reverse() -> Task<[CLPlacemark], any Error> {
        Task { try await CLGeocoder(client: self.client).reverseGeocodeLocation(self.here) }
    }

    @Test func aPlaceIsFound() async throws {
        let task = self.reverse()
        let question = try #require(await self.questions().first)
        #expect(question.place.latitude == 535_503_000 && question.place.longitude == 99_924_000)
        self.answer(question.request) {
            $0.placemarks = [
                .with {
                    $0.latitude = 535_503_000
                    $0.radius = 60
                    $0.name = "Rathaus"
                    $0.isoCountryCode = "DE"
                }
            ]
        }
        let placemark = try #require(try await task.value.first)
        #expect(placemark.name == "Rathaus" && placemark.isoCountryCode == "DE" && placemark.ocean == nil)
        #expect(placemark.location?.coordinate.latitude == 53.5503)
        #expect((placemark.region as? CLCircularRegion)?.radius == 60)
    }

    @Test func anAddressIsLookedForInItsRegionAndLanguage() async throws {
        let region = CLCircularRegion(center: self.here.coordinate, radius: 500, identifier: "")
        let task = Task {
            try await CLGeocoder(client: self.client)
                .geocodeAddressString("Rathausmarkt 1", in: region, preferredLocale: Locale(identifier: "de_DE"))
        }
        let question = try #require(await self.questions().first)
        #expect(question.address == "Rathausmarkt 1" && question.near.radius == 500)
        #expect(question.languages == "de-DE")
        self.answer(question.request) { $0.failure = .noResult }
        let error = await #expect(throws: CLError.self) { try await task.value }
        #expect(error?.code == .geocodeFoundNoResult)
    }

    @Test func theNetworksFailureSaysWhatToDo() async throws {
        let task = self.reverse()
        self.answer(try #require(await self.questions().first).request) {
            $0.failure = .network
            $0.message = "start locationd with --geocoder"
        }
        let error = await #expect(throws: CLError.self) { try await task.value }
        #expect(error?.code == .network && error?.localizedDescription.contains("--geocoder") == true)
    }

    @Test func withoutADeviceItFailsAtOnce() async {
        let geocoder = CLGeocoder(client: LocationClient(transport: FakeDevice(saying: nil)))
        let error = await #expect(throws: CLError.self) { try await geocoder.geocodeAddressString("here") }
        #expect(error?.code == .network && !geocoder.isGeocoding)
    }

    @Test(arguments: [(Double.nan, 0.0), (91, 0), (0, .infinity)])
    func whatIsNotOnEarthIsNotAskedFor(_ latitude: Double, _ longitude: Double) async {
        let error = await #expect(throws: CLError.self) {
            try await CLGeocoder(client: self.client)
                .reverseGeocodeLocation(CLLocation(latitude: latitude, longitude: longitude))
        }
        #expect(error?.code == .geocodeFoundNoResult && self.device.geocodeRequests.isEmpty)
    }

    @Test(arguments: [0, 1025]) func anAddressHasBounds(_ bytes: Int) async {
        let error = await #expect(throws: CLError.self) {
            try await CLGeocoder(client: self.client).geocodeAddressString(String(repeating: "a", count: bytes))
        }
        #expect(error?.code == .geocodeFoundNoResult && self.device.geocodeRequests.isEmpty)
    }

    @Test func cancellingAGeocoderEndsItsQuestions() async {
        let codes = await withCheckedContinuation { continuation in
            let geocoder = CLGeocoder(client: self.client)
            geocoder.reverseGeocodeLocation(self.here) { placemarks, error in
                continuation.resume(returning: (placemarks?.count, (error as? CLError)?.code))
            }
            #expect(geocoder.isGeocoding)
            geocoder.cancelGeocode()
            #expect(!geocoder.isGeocoding)
            geocoder.cancelGeocode()
        }
        #expect(codes == (nil, .geocodeCanceled))
    }

    @Test func eightAtOnceEndWithTheirTasksOrTheirAnswers() async {
        let tasks = (0..<8).map { _ in self.reverse() }
        let questions = await self.questions(8)
        for question in questions.prefix(4) { self.answer(question.request) { $0.placemarks = [.init()] } }
        for question in questions.suffix(4) { self.client.answer(question.request, .cancelled) }
        var found = 0
        for task in tasks {
            switch await task.result {
            case .success(let placemarks): found += placemarks.count
            case .failure(let error): #expect((error as? CLError)?.code == .geocodeCanceled)
            }
        }
        #expect(found == 4)
        let late = (0..<8).map { _ in self.reverse() }
        for task in late { task.cancel() }
        for task in late {
            let error = await #expect(throws: CLError.self) { try await task.value }
            #expect(error?.code == .geocodeCanceled)
        }
    }
}
