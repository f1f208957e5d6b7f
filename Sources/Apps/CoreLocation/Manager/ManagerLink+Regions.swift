/// Delivers events of regions to a manager's delegate.
extension ManagerLink {
    /// Starts to receive region events.
    func attendRegions() {
        self.client.regions.observe { [weak self] region, news, told in
            self?.put(.call { manager, delegate in Self.tell(news, of: region, manager, delegate, told) })
        }
    }

    private static func tell(
        _ news: RegionMonitoring.News,
        of fields: RegionFields,
        _ manager: CLLocationManager,
        _ delegate: any CLLocationManagerDelegate,
        _ told: () -> Void
    ) {
        let region = fields.region
        switch news {
        case .started: delegate.locationManager(manager, didStartMonitoringFor: region)
        case .failed(let code):
            delegate.locationManager(manager, monitoringDidFailFor: region, withError: CLError(code))
        case .determined(let state): delegate.locationManager(manager, didDetermineState: state, for: region)
        case .crossed(let state):
            // Apple documents this call in addition to the crossing (with `didDetermineState`).
            delegate.locationManager(manager, didDetermineState: state, for: region)
            switch state {
            case .inside: delegate.locationManager(manager, didEnterRegion: region)
            case .outside: delegate.locationManager(manager, didExitRegion: region)
            case .unknown: break
            }
        }
        told()
    }
}
