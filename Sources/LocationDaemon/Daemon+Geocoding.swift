internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import LocationWireMessages
internal import SwiftProtobuf

/// Answers apps' geocoders from the server the device's owner named (ADR 0018).
extension Daemon {
    func geocodingRequested(_ request: Whereabouts_Locationwire_V1_GeocodeRequest, by client: ClientID) {
        guard let server = self.geocodingServer else {
            let message = "no geocoding server is configured; start locationd with --geocoder https://host"
            return self.answer(request, .failure(.network(message)), to: client)
        }
        guard let peer = self.peers[client], let question = GeocodingQuestion(request) else {
            return self.answer(request, .failure(.noResult), to: client)
        }
        let now = Clocks.now().monotonic
        if let known = self.geocoding.answer(to: question, now: now) {
            return self.answer(request, known, to: client)
        }
        guard let wait = self.geocoding.asked(peer.principal.bundle, now: now) else {
            let message = "the app asked more than the 1 question a second it may, and 10 wait; ask less often"
            return self.answer(request, .failure(.network(message)), to: client)
        }
        Task {
            try? await Task.sleep(for: wait)
            // Whoever waited behind the same question has its answer.
            if let known = self.geocoding.answer(to: question, now: Clocks.now().monotonic) {
                return self.answer(request, known, to: client)
            }
            let answer = await server.ask(question)
            self.geocoding.answered(question, answer, now: Clocks.now().monotonic)
            self.answer(request, answer, to: client)
        }
    }

    private func answer(
        _ request: Whereabouts_Locationwire_V1_GeocodeRequest,
        _ answer: GeocodingDesk.Answer,
        to client: ClientID
    ) {
        let result = Whereabouts_Locationwire_V1_GeocodeResult.with {
            $0.request = request.request
            switch answer {
            case .success(let placemarks): $0.placemarks = placemarks
            case .failure(.noResult): $0.failure = .noResult
            case .failure(.network(let message)):
                $0.failure = .network
                $0.message = message
            }
        }
        self.send(.with { $0.geocodeResult = result }, to: client)
    }
}
