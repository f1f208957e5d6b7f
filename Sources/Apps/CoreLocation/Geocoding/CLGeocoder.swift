public import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// Finds the places at a location, and the locations of an address.
///
/// locationd asks the geocoding server that the device's owner named (`locationd --geocoder`); without one every
/// question fails at once with `CLError.network`. An app may ask once a second; ten further questions wait. Completions
/// are called on the main queue.
@available(iOS, deprecated: 26.0, message: "Use MapKit.")
open class CLGeocoder: NSObject {
    private let client: LocationClient
    private let questions = GeocoderQuestions()

    /// Creates a geocoder.
    public override init() {
        self.client = .current()
        super.init()
    }

    init(client: LocationClient) {
        self.client = client
        super.init()
    }

    /// Whether a question of this geocoder waits for its answer.
    open var isGeocoding: Bool { self.questions.isAny }

    /// Takes back all questions of this geocoder; they end with `CLError.geocodeCanceled`.
    open func cancelGeocode() {
        for request in self.questions.requests { self.client.answer(request, .cancelled) }
    }

    // MARK: Places of a location

    /// Finds the places at a location.
    @preconcurrency
    open func reverseGeocodeLocation(
        _ location: CLLocation,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the places at a location, named in a locale's language.
    @preconcurrency
    open func reverseGeocodeLocation(
        _ location: CLLocation,
        preferredLocale locale: Locale?,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.ask(.place(location, locale), completionHandler)
    }

    /// Finds the places at a location.
    ///
    /// - Throws: ``CLError``.
    open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await self.ask(.place(location, nil))
    }

    /// Finds the places at a location, named in a locale's language.
    ///
    /// - Throws: ``CLError``.
    open func reverseGeocodeLocation(
        _ location: CLLocation,
        preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await self.ask(.place(location, locale))
    }

    // MARK: Where is it?

    /// Finds an address.
    @preconcurrency
    open func geocodeAddressString(
        _ addressString: String,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.geocodeAddressString(addressString, in: nil, completionHandler: completionHandler)
    }

    /// Finds an address, looking in a region first.
    @preconcurrency
    open func geocodeAddressString(
        _ addressString: String,
        in region: CLRegion?,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.geocodeAddressString(
            addressString,
            in: region,
            preferredLocale: nil,
            completionHandler: completionHandler
        )
    }

    /// Finds an address, looking in a region first, named in a locale's language.
    @preconcurrency
    open func geocodeAddressString(
        _ addressString: String,
        in region: CLRegion?,
        preferredLocale locale: Locale?,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.ask(.address(addressString, region as? CLCircularRegion, locale), completionHandler)
    }

    /// Finds an address, looking within a circle first, named in a locale's language.
    @preconcurrency
    open func geocodeAddressString(
        _ addressString: String,
        inRegionCenteredAt centroid: CLLocation,
        inRegionRadius radius: CLLocationDistance,
        preferredLocale locale: Locale?,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.ask(.address(addressString, .circle(centroid, radius), locale), completionHandler)
    }

    /// Finds an address.
    ///
    /// - Throws: ``CLError``.
    open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, nil, nil))
    }

    /// Finds an address, looking in a region first.
    ///
    /// - Throws: ``CLError``.
    open func geocodeAddressString(_ addressString: String, in region: CLRegion?) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, region as? CLCircularRegion, nil))
    }

    /// Finds an address, looking in a region first, named in a locale's language.
    ///
    /// - Throws: ``CLError``.
    open func geocodeAddressString(
        _ addressString: String,
        in region: CLRegion?,
        preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, region as? CLCircularRegion, locale))
    }

    /// Finds an address, looking within a circle first, named in a locale's language.
    ///
    /// - Throws: ``CLError``.
    open func geocodeAddressString(
        _ addressString: String,
        inRegionCenteredAt centroid: CLLocation,
        inRegionRadius radius: CLLocationDistance,
        preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, .circle(centroid, radius), locale))
    }

    /// Finds an address that is given in parts, such as `Street`, `City`, `State`, `ZIP` and `Country`.
    @available(*, deprecated, message: "Use geocodeAddressString(_:completionHandler:).")
    @preconcurrency
    open func geocodeAddressDictionary(
        _ addressDictionary: [AnyHashable: Any],
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.geocodeAddressString(Self.text(addressDictionary), completionHandler: completionHandler)
    }

    /// Finds an address that is given in parts.
    ///
    /// - Throws: ``CLError``.
    @available(*, deprecated, message: "Use geocodeAddressString(_:).")
    open func geocodeAddressDictionary(_ addressDictionary: [AnyHashable: Any]) async throws -> [CLPlacemark] {
        try await self.ask(.address(Self.text(addressDictionary), nil, nil))
    }

    private static func text(_ address: [AnyHashable: Any]) -> String {
        ["Street", "SubLocality", "City", "State", "ZIP", "Country"].compactMap { address[$0] as? String }
            .joined(separator: ", ")
    }

    // MARK: Asking

    private func ask(
        _ question: GeocoderQuestion,
        _ completion: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.start(question) { reply in
            let result = reply.placemarks
            DispatchQueue.main.async {
                switch result {
                case .success(let placemarks): completion(placemarks, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    private func ask(_ question: GeocoderQuestion) async throws -> [CLPlacemark] {
        try await self.client.ask { self.start(question, $0) }.placemarks.get()
    }

    @discardableResult
    private func start(
        _ question: GeocoderQuestion,
        _ completion: @escaping @Sendable (LocationClient.Reply) -> Void
    ) -> UInt64? {
        guard let message = question.message else {
            completion(.geocode(.with { $0.failure = .noResult }))
            return nil
        }
        let questions = self.questions
        let number = questions.begin()
        let request = self.client.ask({ request in
            .with {
                $0.geocodeRequest = message
                $0.geocodeRequest.request = request
            }
        }) { reply in
            questions.end(number)
            completion(reply)
        }
        questions.asked(number, request)
        return request
    }
}

extension LocationClient.Reply {
    /// The reply as a geocoder tells it.
    fileprivate var placemarks: Result<[CLPlacemark], CLError> {
        switch self {
        case .geocode(let news):
            switch news.failure {
            case .none where !news.placemarks.isEmpty: .success(news.placemarks.map { CLPlacemark(.init($0)) })
            case .none, .noResult: .failure(CLError(.geocodeFoundNoResult))
            case .network, .UNRECOGNIZED:
                .failure(CLError(.network, userInfo: [NSLocalizedDescriptionKey: news.message]))
            }
        case .cancelled: .failure(CLError(.geocodeCanceled))
        case .gone, .pushToken, .fullAccuracy, .opened:
            .failure(
                CLError(
                    .network,
                    userInfo: [NSLocalizedDescriptionKey: "locationd cannot be reached; see `locationctl status`"]
                )
            )
        }
    }
}
