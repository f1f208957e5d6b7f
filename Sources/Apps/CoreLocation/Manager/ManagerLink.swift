internal import Foundation
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The connection between a manager and the client, usable on any thread; it may outlive the manager briefly.
///
/// Lock order: this lock may be taken while the client's lock is held, but never the other way round.
final class ManagerLink: Sendable {
    // The weak references are read and written only under the lock, and used where the manager was created.
    struct WeakManager: Sendable {
        nonisolated(unsafe) weak var object: CLLocationManager?
    }

    struct WeakDelegate: Sendable {
        nonisolated(unsafe) weak var object: (any CLLocationManagerDelegate)?
    }

    struct HeadingBody: Sendable {
        nonisolated(unsafe) var object: (any CLBodyIdentifiable)?
    }

    private struct Run {
        let number: UInt64
        var stream: UInt64?
        /// Whether a pause ended the run, so that the app must start another one.
        var isOver = false
        /// Whether the delegate received a pause, and no position since.
        var isPaused = false
    }

    private struct State {
        var settings = ManagerSettings()
        var manager = WeakManager()
        var delegate = WeakDelegate()
        var headingBody = HeadingBody()
        var inbox = ManagerInbox()
        var isScheduled = false
        var runs: UInt64 = 0
        var standard: Run?
        var once: Run?
        var heading: CLHeading.Fields?
        /// Whether the delegate was asked about calibration since the compass became disturbed.
        var wasAskedAboutCalibration = false
        var timeout: Task<Void, Never>?
        var told: Told?
        var observation: UInt64?
        /// Whether the delegate is receiving the answer to `requestLocation()`.
        var isAnswering = false
        /// Whether the manager receives regions and visits, which begins with its first delegate.
        var attends = false
    }

    /// The authorization that the delegate received last.
    private struct Told: Hashable {
        var authorization: CLAuthorizationStatus
        var accuracy: CLAccuracyAuthorization
    }

    /// The timeout of `requestLocation`: twice the time after which locationd reports that there is no fix (ADR 0009).
    static var requestTimeout: Duration { .seconds(20) }

    let client: LocationClient
    let callbacks: CallbackContext
    let significantChanges: ManagerStream
    let ranging: ManagerRanging
    private let compass: ManagerStream
    private let state = Mutex(State())

    init(client: LocationClient) {
        self.client = client
        self.callbacks = client.transport.callbacks ?? .current()
        self.significantChanges = ManagerStream(client: client)
        self.ranging = ManagerRanging(client: client)
        self.compass = ManagerStream(client: client)
    }

    /// Starts to serve a manager.
    func begin(_ manager: CLLocationManager) {
        let manager = WeakManager(object: manager)
        self.state.withLock { $0.manager = manager }
        let observation = self.client.observe { [weak self] _ in self?.put(.authorization) }
        self.state.withLock { $0.observation = observation }
    }

    /// Stops all services after the manager was released.
    func end() {
        let (streams, observation, timeout) = self.state.withLock { state in
            defer {
                state.standard = nil
                state.once = nil
            }
            let streams = [state.standard?.stream, state.once?.stream]
            return (streams, state.observation, state.timeout)
        }
        timeout?.cancel()
        for stream in streams.compactMap(\.self) { self.client.closeStream(stream) }
        self.compass.stop()
        self.significantChanges.stop()
        self.ranging.stopAll()
        if let observation { self.client.endObserving(observation) }
    }

    // MARK: Settings

    var settings: ManagerSettings { self.state.withLock { $0.settings } }

    func change(_ change: @Sendable (inout ManagerSettings) -> Void) {
        let stream = self.state.withLock { state in
            change(&state.settings)
            return state.standard?.stream
        }
        if let stream { self.client.changeStream(stream) { self.settings.standard } }
        self.compass.change { self.settings.heading }
    }

    var delegate: WeakDelegate {
        get { self.state.withLock { $0.delegate } }
        set {
            let (isToBeTold, isFirst) = self.state.withLock { state in
                state.delegate = newValue
                let isFirst = unsafe newValue.object != nil && !state.attends
                if isFirst { state.attends = true }
                return (state.told == nil, isFirst)
            }
            // A manager exists before its delegate does: deliver the authorization that the delegate missed.
            if isToBeTold { self.put(.authorization) }
            if isFirst {
                self.attendRegions()
                self.attendVisits()
            }
        }
    }

    var headingBody: HeadingBody {
        get { self.state.withLock { $0.headingBody } }
        set { self.state.withLock { $0.headingBody = newValue } }
    }

    // MARK: Standard updates

    func start() {
        self.giveUpRequest()
        let begun = self.state.withLock { state -> (number: UInt64, before: UInt64?, ManagerSettings)? in
            let before = state.standard
            guard before?.isOver ?? true else { return nil }
            state.runs += 1
            state.standard = Run(number: state.runs, isPaused: before?.isPaused ?? false)
            return (state.runs, before?.stream, state.settings)
        }
        guard let (number, before, settings) = begun else { return }
        let stream = self.client.openPositions(settings.standard, insteadOf: before) { [weak self] update in
            self?.received(update, run: number)
        }
        let isOver = self.state.withLock { state in
            guard state.standard?.number == number else { return true }
            state.standard?.stream = stream
            return false
        }
        if isOver { return self.client.closeStream(stream) }
        self.client.changeStream(stream) { self.settings.standard }
    }

    /// Handles an update of a run, which a pause ends.
    private func received(_ update: CLLocationUpdate, run: UInt64) {
        let over = self.state.withLock { state -> Run? in
            guard let standard = state.standard, standard.number == run else { return nil }
            if update.stationary { state.standard?.isOver = true }
            return standard.isOver ? standard : nil
        }
        guard let over else { return self.put(.update(update, run: run)) }
        // This update follows a pause, for example because the connection ended. Close the stream; otherwise the next
        // connection would start it again.
        if let stream = over.stream { self.client.closeStream(stream) }
    }

    func stop() {
        self.giveUpRequest()
        let stream = self.state.withLock { state in
            defer { state.standard = nil }
            return state.standard?.stream
        }
        if let stream { self.client.closeStream(stream) }
    }

    // MARK: Heading

    func startHeading() {
        self.compass.start({ self.settings.heading }) { [weak self] update, run in
            self?.received(CLHeading.Fields(update), run: run)
        }
    }

    func stopHeading() {
        self.compass.stop()
        self.state.withLock { $0.wasAskedAboutCalibration = false }
    }

    /// The newest heading, for the orientation that the app set.
    var heading: CLHeading.Fields? {
        self.state.withLock { state in state.heading?.turned(to: state.settings.headingOrientation) }
    }

    private func received(_ heading: CLHeading.Fields?, run: UInt64) {
        if let heading { self.state.withLock { $0.heading = heading } }
        self.put(.heading(heading, run: run))
    }

    /// Returns whether to ask the delegate about calibration, once for each disturbance; nil: the run has ended.
    private func asksAboutCalibration(_ heading: CLHeading.Fields, _ run: UInt64) -> Bool? {
        guard self.compass.isOn(run) else { return nil }
        return self.state.withLock { state in
            defer { state.wasAskedAboutCalibration = heading.headingAccuracy < 0 }
            return heading.headingAccuracy < 0 && !state.wasAskedAboutCalibration
        }
    }

    private func deliver(
        _ heading: CLHeading.Fields?,
        _ run: UInt64,
        _ manager: CLLocationManager,
        _ delegate: any CLLocationManagerDelegate
    ) {
        guard let heading = heading?.turned(to: self.settings.headingOrientation) else {
            if self.compass.isOn(run) { delegate.locationManager(manager, didFailWithError: CLError(.headingFailure)) }
            return
        }
        guard let asks = self.asksAboutCalibration(heading, run) else { return }
        // The answer has no effect, because no calibration is displayed (ADR 0036).
        if asks { _ = delegate.locationManagerShouldDisplayHeadingCalibration(manager) }
        delegate.locationManager(manager, didUpdateHeading: CLHeading(heading))
    }

    // MARK: One position

    func request() {
        if unsafe self.delegate.object == nil {
            self.client.transport.misused(
                "requestLocation() needs a delegate to give the location to; set the manager's delegate before the call"
            )
        }
        let begun = self.state.withLock { state -> (number: UInt64, ManagerSettings)? in
            guard state.once == nil else { return nil }
            state.runs += 1
            state.once = Run(number: state.runs)
            return (state.runs, state.settings)
        }
        guard let (number, settings) = begun else { return }
        self.client.transport.awaits("requestLocation()", loop: nil)
        let timeout = Task { [weak self] in
            guard (try? await Task.sleep(for: Self.requestTimeout)) != nil else { return }
            self?.finishRequest(number, .failure(CLError(.locationUnknown)))
        }
        let stream = self.client.openPositions(settings.once) { [weak self] update in
            if let answer = update.answer { self?.finishRequest(number, answer) }
        }
        let isOver = self.state.withLock { state in
            guard state.once?.number == number else { return true }
            state.once?.stream = stream
            state.timeout = timeout
            return false
        }
        guard isOver else { return }
        timeout.cancel()
        self.client.closeStream(stream)
    }

    private func finishRequest(_ number: UInt64, _ answer: Result<CLLocation, CLError>) {
        guard self.endRequest(number) else { return }
        self.put(.answer(answer))
    }

    /// Cancels the request, as Apple's manager does when standard updates start or stop.
    private func giveUpRequest() { self.endRequest(nil) }

    @discardableResult
    private func endRequest(_ number: UInt64?) -> Bool {
        let ended = self.state.withLock { state -> (stream: UInt64?, timeout: Task<Void, Never>?)? in
            guard let once = state.once, number == nil || once.number == number else { return nil }
            defer {
                state.once = nil
                state.timeout = nil
            }
            return (once.stream, state.timeout)
        }
        guard let ended else { return false }
        ended.timeout?.cancel()
        if let stream = ended.stream { self.client.closeStream(stream) }
        return true
    }

    // MARK: Calling the delegate

    /// Queues an event for the delegate, which is called where the manager was created.
    func put(_ event: ManagerInbox.Event) {
        let isFirst = self.state.withLock { state in
            state.inbox.put(event)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { self.callbacks.perform { self.deliver() } }
    }

    private func deliver() {
        while let (event, manager, delegate) = self.take() {
            guard let manager = unsafe manager.object, let delegate = unsafe delegate.object else { continue }
            // First report a changed authorization: `authorizationStatus` may have changed since the event was queued.
            self.deliverAuthorization(manager, delegate)
            switch event {
            case .authorization: break
            case .update(let update, let run): self.deliver(update, run, manager, delegate)
            case .heading(let heading, let run): self.deliver(heading, run, manager, delegate)
            case .ranged(let result, let beacons, let run): self.deliver(result, of: beacons, run, manager, delegate)
            case .answer(let answer): self.deliver(answer, manager, delegate)
            case .call(let call): call(manager, delegate)
            }
        }
    }

    private func deliver(
        _ answer: Result<CLLocation, CLError>,
        _ manager: CLLocationManager,
        _ delegate: any CLLocationManagerDelegate
    ) {
        self.state.withLock { $0.isAnswering = true }
        defer { self.state.withLock { $0.isAnswering = false } }
        switch answer {
        case .success(let location): delegate.locationManager(manager, didUpdateLocations: [location])
        case .failure(let error): delegate.locationManager(manager, didFailWithError: error)
        }
    }

    /// Reports that the delegate lacks a method that `requestLocation()` needs.
    ///
    /// Apple's `requestLocation()` checks both methods of the delegate at once. Swift on Linux cannot check them, so a missing method is
    /// noticed when it is called: the protocol's default runs. A delegate that forwards its calls has the method itself.
    func delegateLacks(_ method: String, _ delegate: any CLLocationManagerDelegate) {
        guard self.state.withLock({ $0.isAnswering }), unsafe self.delegate.object === delegate else { return }
        self.client.transport.misused(
            "the manager's delegate, \(type(of: delegate)), lacks \(method), which requestLocation() needs; add the method"
        )
    }

    private func take() -> (ManagerInbox.Event, WeakManager, WeakDelegate)? {
        self.state.withLock { state in
            guard let event = state.inbox.take() else {
                state.isScheduled = false
                return nil
            }
            return (event, state.manager, state.delegate)
        }
    }

    private func deliverAuthorization(_ manager: CLLocationManager, _ delegate: any CLLocationManagerDelegate) {
        let mirror = self.client.mirror
        let now = Told(authorization: mirror.authorization, accuracy: mirror.accuracy)
        let isNews = self.state.withLock { state in
            defer { state.told = now }
            return state.told != now
        }
        if isNews { delegate.locationManagerDidChangeAuthorization(manager) }
    }

    private func deliver(
        _ update: CLLocationUpdate,
        _ run: UInt64,
        _ manager: CLLocationManager,
        _ delegate: any CLLocationManagerDelegate
    ) {
        let paused = self.state.withLock { state -> (before: Bool, now: Bool)? in
            // Drop an update of an ended run. Otherwise the app could receive a pause after it stopped the updates.
            guard let before = state.standard?.isPaused, state.standard?.number == run else { return nil }
            state.standard?.isPaused = update.stationary
            return (before, update.stationary)
        }
        guard let paused else { return }
        if paused.before, !paused.now { delegate.locationManagerDidResumeLocationUpdates(manager) }
        if let location = update.location { delegate.locationManager(manager, didUpdateLocations: [location]) }
        if let error = update.failure { delegate.locationManager(manager, didFailWithError: error) }
        if paused.now, !paused.before { delegate.locationManagerDidPauseLocationUpdates(manager) }
    }
}

extension CLLocationUpdate {
    /// The error for the delegate; nil when there is none.
    var failure: CLError? {
        if self.authorizationDenied || self.authorizationDeniedGlobally || self.authorizationRestricted {
            return CLError(.denied)
        }
        return self.locationUnavailable ? CLError(.locationUnknown) : nil
    }

    /// The result of an update for `requestLocation`; nil: wait for the next update.
    fileprivate var answer: Result<CLLocation, CLError>? {
        if let location { return .success(location) }
        if let failure { return .failure(failure) }
        return self.insufficientlyInUse ? .failure(CLError(.locationUnknown)) : nil
    }
}
