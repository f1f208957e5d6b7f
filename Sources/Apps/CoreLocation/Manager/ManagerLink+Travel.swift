internal import WhereaboutsLocationWireMessages

/// Delivers significant changes and visits to a manager's delegate.
extension ManagerLink {
    func startSignificantChanges() {
        self.significantChanges.start({ .significantChanges(.init()) }) { [weak self] update, run in
            let update = update.map { CLLocationUpdate($0) } ?? .withoutDaemon
            self?.put(
                .call { [weak self] manager, delegate in
                    // Drop the update if the app stopped the service meanwhile.
                    guard self?.significantChanges.isOn(run) == true else { return }
                    if let location = update.location {
                        delegate.locationManager(manager, didUpdateLocations: [location])
                    }
                    if let error = update.failure { delegate.locationManager(manager, didFailWithError: error) }
                }
            )
        }
    }

    /// Starts to receive visits, whichever manager or process started them.
    func attendVisits() {
        self.client.visits.observe { [weak self] news in
            self?.put(
                .call { manager, delegate in
                    switch news {
                    case .visit(let fields): delegate.locationManager(manager, didVisit: CLVisit(fields))
                    case .failed(let error): delegate.locationManager(manager, didFailWithError: error)
                    }
                }
            )
        }
    }
}
