import CoreLocation

protocol LocationUpdating {
    associatedtype Updates: AsyncSequence<CLLocationUpdate, any Error>
    func updates() -> Updates
}

struct LiveUpdating: LocationUpdating {
    var configuration: CLLocationUpdate.LiveConfiguration = .default

    func updates() -> CLLocationUpdate.Updates { CLLocationUpdate.liveUpdates(configuration) }
}

func firstAccurate<Source: LocationUpdating>(from source: Source) async throws -> CLLocation? {
    try await source.updates().compactMap(\.location).first { $0.horizontalAccuracy < 20 }
}

func speeds(_ updates: some AsyncSequence<CLLocationUpdate, any Error>) async throws -> [CLLocationSpeed] {
    var speeds: [CLLocationSpeed] = []
    for try await update in updates {
        guard let speed = update.location?.speed else { continue }
        speeds.append(speed)
        if speeds.count == 10 { break }
    }
    return speeds
}
