/// Everything that streams can receive now.
struct Supply: Sendable, Hashable {
    /// The newest measurement of each sensor, while it counts as current.
    var newest = PerSensor<Update.Element?> { _ in nil }
    /// The newest significant change and the newest visit, each while an app wants it.
    var found = PerTravel<Update.Element?> { _ in nil }
    /// The beacons in range, while an app ranges.
    var survey: BeaconSurvey?
    /// Whether a sensor is unavailable: it is on, and was silent for too long or lost its source.
    var isUnavailable = PerSensor { _ in false }
    /// The configurations for which the device is still, one bit each.
    var still: UInt8 = 0
    /// The configurations in ``still`` that the newest fix contradicts.
    var doubtful: UInt8 = 0
    /// The approximate place; nil while no app needs it.
    var place: Fix?

    /// Returns what a stream is offered: the reasons against its service, if there are any; the approximate place, if
    /// the app may not know the precise one; otherwise the newest measurement, marked if a still device pauses the stream.
    func offer(
        _ service: ServiceTraits,
        _ reasons: UpdateDiagnostics,
        isPrecise: Bool,
        mayPause: Bool,
        _ policy: Policy
    ) -> UpdateStream.Offer {
        if !reasons.isEmpty { return .reasons(reasons) }
        if service.hasApproximatePlace, !isPrecise, let place { return .approximate(place) }
        // No client waits for a requested position, so a request without a result is not reported.
        if service.travel == nil, self.isUnavailable[service.sensor] { return .reasons(service.sensor.unavailable) }
        guard let newest = self.newest(for: service) else { return .nothing }
        guard let element = isPrecise ? newest : newest.withoutPlace(policy) else { return .nothing }
        guard mayPause, let configuration = service.pausing, self.still & 1 << configuration.rawValue != 0 else {
            return .measured(element)
        }
        return self.doubtful & 1 << configuration.rawValue != 0 ? .doubtful(element) : .still(element)
    }

    /// The newest element for a service.
    private func newest(for service: ServiceTraits) -> Update.Element? {
        if let travel = service.travel { return self.found[travel] }
        if let ranged = service.ranged { return self.survey.map { .beacons($0.satisfying(ranged)) } }
        return self.newest[service.sensor]
    }
}
