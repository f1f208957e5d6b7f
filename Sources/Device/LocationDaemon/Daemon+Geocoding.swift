internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Answers apps' geocoders through the server that the owner configured (ADR 0036); the core decides when to ask.
extension Daemon {
    func lookUp(_ question: GeocodeQuestion, _ lookUp: LookUpID) {
        guard let server = self.geocodingServer else { return self.feed(.lookedUp(lookUp, .noResult)) }
        Task { self.feed(.lookedUp(lookUp, await server.ask(question))) }
    }

    func tell(_ client: ClientID, _ result: GeocodeResult, to request: UInt64) {
        self.clients.send(.with { $0.geocodeResult = WireGeocodeResult(result, to: request) }, to: client)
    }
}

extension WireGeocodeResult {
    fileprivate init(_ result: GeocodeResult, to request: UInt64) {
        self.init()
        self.request = request
        switch result {
        case .answer(.places(let encoded)):
            // This locationd encoded the places; ignore a result that does not parse.
            if let places = try? WireGeocodeResult(serializedBytes: encoded) {
                self.placemarks = places.placemarks
            }
        case .answer(.noResult): self.failure = .noResult
        case .answer(.unreachable(let message)):
            self.failure = .network
            self.message = message
        case .noServer:
            self.failure = .network
            self.message = "no geocoding server is configured; start locationd with --geocoder https://host"
        case .tooOften:
            self.failure = .network
            self.message = "the app sent more than 1 request a second, and 10 of its requests wait; send fewer"
        }
    }
}
