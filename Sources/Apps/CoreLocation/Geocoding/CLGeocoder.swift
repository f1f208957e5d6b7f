public import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// An object that converts between coordinates and the names of places.
///
/// The device's owner configures the geocoding server (`locationd --geocoder`); without a server, each
/// request fails with ``CLError/Code/network``. An app may send one request per second; ten more wait, and further
/// requests fail with ``CLError/Code/network``. The app needs no authorization. Completion handlers are called once, on
/// the main queue. All errors are ``CLError``.
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

    /// A Boolean value that indicates whether a request of this geocoder waits for its answer.
    open var isGeocoding: Bool { self.questions.isAny }

    /// Cancels the requests of this geocoder; they end with ``CLError/Code/geocodeCanceled``.
    open func cancelGeocode() {
        for request in self.questions.requests { self.client.answer(request, .cancelled) }
    }

    // MARK: Places of a location

    /// Finds the places at a location.
    ///
    /// - Parameters:
    ///   - location: a location with a valid coordinate.
    ///   - completionHandler: a closure that receives placemarks, or an error.
    @preconcurrency
    open func reverseGeocodeLocation(
        _ location: CLLocation,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the places at a location, and names them in the language of a locale.
    ///
    /// - Parameters:
    ///   - location: a location with a valid coordinate.
    ///   - locale: the locale in whose language the places are named, or `nil` for `Locale.current`.
    ///   - completionHandler: a closure that receives placemarks, or an error.
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
    /// - Parameter location: a location with a valid coordinate.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await self.ask(.place(location, nil))
    }

    /// Finds the places at a location, and names them in the language of a locale.
    ///
    /// - Parameters:
    ///   - location: a location with a valid coordinate.
    ///   - locale: the locale in whose language the places are named, or `nil` for `Locale.current`.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    open func reverseGeocodeLocation(
        _ location: CLLocation,
        preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await self.ask(.place(location, locale))
    }

    // MARK: Where is it?

    /// Finds the places at an address.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - completionHandler: a closure that receives placemarks, or an error.
    @preconcurrency
    open func geocodeAddressString(
        _ addressString: String,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.geocodeAddressString(addressString, in: nil, completionHandler: completionHandler)
    }

    /// Finds the places at an address, in a region first.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - region: a ``CLCircularRegion`` whose places come first, or `nil`.
    ///   - completionHandler: a closure that receives placemarks, or an error.
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

    /// Finds the places at an address, in a region first, and names them in the language of a locale.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - region: a ``CLCircularRegion`` whose places come first, or `nil`.
    ///   - locale: the locale in whose language the places are named, or `nil` for `Locale.current`.
    ///   - completionHandler: a closure that receives placemarks, or an error.
    @preconcurrency
    open func geocodeAddressString(
        _ addressString: String,
        in region: CLRegion?,
        preferredLocale locale: Locale?,
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.ask(.address(addressString, region as? CLCircularRegion, locale), completionHandler)
    }

    /// Finds the places at an address, in a circle first, and names them in the language of a locale.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - centroid: the center of a circle whose places come first.
    ///   - radius: the radius of the circle, in meters.
    ///   - locale: the locale in whose language the places are named, or `nil` for `Locale.current`.
    ///   - completionHandler: a closure that receives placemarks, or an error.
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

    /// Finds the places at an address.
    ///
    /// - Parameter addressString: the address, in the order that is usual in its country.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, nil, nil))
    }

    /// Finds the places at an address, in a region first.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - region: a ``CLCircularRegion`` whose places come first, or `nil`.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    open func geocodeAddressString(_ addressString: String, in region: CLRegion?) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, region as? CLCircularRegion, nil))
    }

    /// Finds the places at an address, in a region first, and names them in the language of a locale.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - region: a ``CLCircularRegion`` whose places come first, or `nil`.
    ///   - locale: the locale in whose language the places are named, or `nil` for `Locale.current`.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    open func geocodeAddressString(
        _ addressString: String,
        in region: CLRegion?,
        preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, region as? CLCircularRegion, locale))
    }

    /// Finds the places at an address, in a circle first, and names them in the language of a locale.
    ///
    /// - Parameters:
    ///   - addressString: the address, in the order that is usual in its country.
    ///   - centroid: the center of a circle whose places come first.
    ///   - radius: the radius of the circle, in meters.
    ///   - locale: the locale in whose language the places are named, or `nil` for `Locale.current`.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    open func geocodeAddressString(
        _ addressString: String,
        inRegionCenteredAt centroid: CLLocation,
        inRegionRadius radius: CLLocationDistance,
        preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await self.ask(.address(addressString, .circle(centroid, radius), locale))
    }

    /// Finds the places at an address that is given in parts.
    ///
    /// - Parameters:
    ///   - addressDictionary: the parts of the address: `Street`, `SubLocality`, `City`, `State`, `ZIP`, `Country`.
    ///   - completionHandler: a closure that receives placemarks, or an error.
    @available(*, deprecated, message: "Use geocodeAddressString(_:completionHandler:).")
    @preconcurrency
    open func geocodeAddressDictionary(
        _ addressDictionary: [AnyHashable: Any],
        completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
    ) {
        self.geocodeAddressString(Self.text(addressDictionary), completionHandler: completionHandler)
    }

    /// Finds the places at an address that is given in parts.
    ///
    /// - Parameter addressDictionary: the parts of the address: `Street`, `SubLocality`, `City`, `State`, `ZIP`,
    ///   `Country`.
    /// - Returns: the places, at least one.
    /// - Throws: ``CLError``, such as ``CLError/Code/geocodeFoundNoResult`` or ``CLError/Code/network``;
    ///   ``CLError/Code/geocodeCanceled`` if the task is cancelled.
    @available(*, deprecated, message: "Use geocodeAddressString(_:).")
    open func geocodeAddressDictionary(_ addressDictionary: [AnyHashable: Any]) async throws -> [CLPlacemark] {
        try await self.ask(.address(Self.text(addressDictionary), nil, nil))
    }

    private static func text(_ address: [AnyHashable: Any]) -> String {
        ["Street", "SubLocality", "City", "State", "ZIP", "Country"].compactMap { address[$0] as? String }
            .joined(separator: ", ")
    }

    // MARK: Requests

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

    private func ask(_ question: GeocoderQuestion, _ call: String = #function) async throws -> [CLPlacemark] {
        self.client.transport.awaits(call, loop: nil)
        return try await self.client.ask { self.start(question, $0) }.placemarks.get()
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
    /// A geocoder's reply.
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
