internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The process's connection to the device: its declared claims and streams, the mirrored state, and its open questions.
///
/// The process sends its complete declaration on every change and every new connection (ADR 0007). Synchronous members
/// read the mirror. Only their first call waits, for at most one second.
package final class LocationClient: Sendable {
    /// Whether a person sees the app.
    package enum Phase: Sendable, Hashable {
        /// The app is visible.
        case foreground
        /// The app runs without being visible.
        case background
    }

    /// Why the process was started.
    package enum LaunchReason: Sendable, Hashable {
        case user
        /// The device has positions to deliver.
        case location
        /// The process received a location push.
        case push
    }

    /// The state that synchronous members return.
    package struct Mirror: Sendable, Hashable {
        var authorization: CLAuthorizationStatus = .notDetermined
        var accuracy: CLAccuracyAuthorization = .fullAccuracy
        var servicesEnabled = false
        /// Whether a person sees the app.
        package var phase: Phase = .foreground
        /// Why the process was started.
        package var launchReason: LaunchReason = .user
        /// Whether the app's Info.plist allows locations in the background; nil before the device has reported it.
        var mayRunInBackground: Bool?
        /// The maximum number of sessions, activities and streams, of each kind, that the device allows the process.
        ///
        /// The device disconnects a process that declares more, so the rest is declared when others have ended. 256 is
        /// the usual limit, until the device reports its own.
        var declaredMax = 256
        /// Whether the device can be reached.
        package var isConnected = false
        /// The newest position of any stream, until the authorization changes.
        var fix: WireFix?
        /// Whether the device has a compass.
        var hasCompass = false
        /// Whether the device has a beacon scanner.
        var hasScanner = false
        /// The regions of the app's managers that the device monitors.
        var regions: [WireConditionRecord] = []
        /// Whether this process or an earlier one started visits.
        var monitorsVisits = false

        /// The newest position of any stream, until the authorization changes.
        var location: CLLocation? { self.fix.map { CLLocation($0) } }
    }

    /// A service session or an activity of the process.
    struct Claim {
        enum Kind: Hashable {
            case session(CLServiceSession.AuthorizationRequirement, fullAccuracyPurpose: String?)
            case backgroundSession
            case liveActivity(title: String)
        }

        var kind: Kind
        var latest: UInt32?
        var watchers: [UInt64: DiagnosticMailbox] = [:]
    }

    struct Stream {
        var service: WireStream.OneOf_Service
        let receive: Receive
    }

    /// Receives an update of a stream; nil: the device cannot be reached.
    typealias Receive = @Sendable (WireUpdate?) -> Void

    struct State {
        var mirror = Mirror()
        var wasTold = false
        /// Whether the limit was reported on standard error.
        var toldOfLimit = false
        /// The reason of locationd's last refusal.
        var refusal: String?
        var nextID: UInt64 = 1
        // The declaration lists these in the order of their IDs.
        var claims: [UInt64: Claim] = [:]
        var streams: [UInt64: Stream] = [:]
        var requests: [UInt64: @Sendable (Reply) -> Void] = [:]
        var observers: [UInt64: @Sendable (Mirror) -> Void] = [:]
        var monitors: [UInt64: OpenMonitor] = [:]
        var regions = RegionMonitoring.State()
        var visits = VisitMonitoring.State()
        /// The number of connections so far; an event's number is valid only on its own connection.
        var connections: UInt64 = 0
        /// The authorization that the app requested while there was no connection; true: Always.
        var unheardRequest: Bool?
        /// The phase that the process reported, sent again on each new connection.
        var reportedPhase: Phase?
        var pushes: (@Sendable (PushEvent) -> Void)?
        var earlyPushes: [PushEvent] = []

        mutating func takeID() -> UInt64 {
            defer { self.nextID += 1 }
            return self.nextID
        }
    }

    let state = Mutex(State())
    let transport: any Transport
    private let told = DispatchSemaphore(value: 0)

    /// Connects, and waits at most a second for the device's state.
    package init(transport: any Transport) {
        self.transport = transport
        transport.start { [weak self] in self?.received($0) }
        let isConnected = self.state.withLock { $0.mirror.isConnected }
        if isConnected { _ = self.told.wait(timeout: .now() + 1) }
    }

    private static let ofThisProcess = LocationClient(transport: SocketTransport.ofThisProcess())

    /// A struct, because a mutex of a bare closure wraps the closure again at every access (Swift 6.3).
    private struct Finder {
        var find: (@Sendable () -> LocationClient?)?
    }

    private static let finder = Mutex(Finder())

    /// Sets a function that selects the client of the running code, for the virtual device, whose apps share a process;
    /// the default is the process's client.
    package static func find(with finder: @escaping @Sendable () -> LocationClient?) {
        self.finder.withLock { $0.find = finder }
    }

    /// The client of a task and its children instead of the process's client, for tests that run an app's unchanged code.
    @TaskLocal package static var ofTask: LocationClient?

    /// The client of the running code.
    package static func current() -> LocationClient {
        self.ofTask ?? self.finder.withLock { $0.find }?() ?? self.ofThisProcess
    }

    /// The present state for synchronous members.
    package var mirror: Mirror {
        self.transport.used()
        return self.state.withLock { $0.mirror }
    }

    /// Calls a handler with the present mirror and every change of it, one after the other, on the thread that brings it.
    ///
    /// - Parameter handler: must return soon, and must not use the client.
    /// - Returns: the number for ``endObserving(_:)``.
    package func observe(_ handler: @escaping @Sendable (Mirror) -> Void) -> UInt64 {
        self.state.withLock { state in
            let id = state.takeID()
            state.observers[id] = handler
            // The lock is held, so that no change arrives before the present state.
            handler(state.mirror)
            return id
        }
    }

    /// Ends ``observe(_:)``.
    package func endObserving(_ id: UInt64) {
        self.state.withLock { _ = $0.observers.removeValue(forKey: id) }
    }

    /// Reports whether a person sees the process; locationd accepts only "no", and only from a process that it did not start.
    package func reportPhase(_ phase: Phase) {
        self.state.withLock { state in
            state.reportedPhase = phase
            if state.mirror.isConnected { self.transport.send(Self.report(phase)) }
        }
    }

    private static func report(_ phase: Phase) -> WireClientMessage {
        .with { $0.phaseReport = .with { $0.phase = phase == .foreground ? .foreground : .background } }
    }

    // MARK: Services of all managers

    var regions: RegionMonitoring { RegionMonitoring(client: self) }

    var visits: VisitMonitoring { VisitMonitoring(client: self) }

    // MARK: Incoming

    private func received(_ event: TransportEvent) {
        switch event {
        case .connected: self.connected()
        case .disconnected: self.disconnected()
        case .message(let message): self.received(message)
        }
    }

    private func connected() {
        self.state.withLock { state in
            state.mirror.isConnected = true
            state.connections += 1
            if let phase = state.reportedPhase { self.transport.send(Self.report(phase)) }
            // Send an empty declaration, too: a connection counts for its app from its first message on (ADR 0029).
            self.transport.send(state.declaration)
            for change in state.monitorChanges { self.transport.send(change) }
            if let always = state.unheardRequest {
                self.transport.send(.with { $0.authorizationRequest = .with { $0.always = always } })
            }
            state.unheardRequest = nil
        }
    }

    private func disconnected() {
        let (streams, requests, pushes) = self.state.withLock { state in
            // Keep people's decisions: an app must not read a restart of locationd as a refusal.
            state.mirror.isConnected = false
            state.tellObservers()
            state.monitorsDisconnected()
            // Monitors that are being opened wait until locationd can be reached again.
            let kept = Set(state.monitors.values.flatMap(\.opening))
            let lost = state.requests.filter { !kept.contains($0.key) }
            for id in lost.keys { state.requests[id] = nil }
            return (Array(state.streams.values), Array(lost.values), state.pushes)
        }
        // Loops receive "no location", and continue with locations after a new connection (ADR 0007).
        for stream in streams { stream.receive(nil) }
        for request in requests { request(.gone) }
        pushes?(.abandoned)
    }

    private func received(_ message: WireDaemonMessage) {
        switch message.body {
        case .state(let news): self.received(news)
        case .update(let update): self.received(update)
        case .diagnostics(let news):
            self.state.withLock { $0.received(diagnostics: news.diagnostics, of: news.session) }
        case .pushToken(let news): self.answer(news.request, .pushToken(news))
        case .requestResult(let news): self.answer(news.request, .fullAccuracy(isDeclined: news.declined))
        case .geocodeResult(let news): self.answer(news.request, .geocode(news))
        case .monitorOpened(let news): self.opened(news)
        case .monitorTaken(let news): self.taken(news)
        case .monitorEvent(let news): self.happened(news)
        case .push(let push): self.pushed(.payload(push))
        case .warning: self.pushed(.warning)
        case .finish: self.pushed(.finish)
        case .refusal(let refusal):
            let isNews = self.state.withLock { state in
                defer { state.refusal = refusal.message }
                return state.refusal != refusal.message
            }
            if isNews { Self.complain(refusal.message) }
            self.stopOpening()
            self.told.signal()
        case .ready, nil: break
        }
    }

    private func received(_ update: WireUpdate) {
        let stream = self.state.withLock { state in
            if case .fix(let fix)? = update.element { state.mirror.fix = fix }
            return state.streams[update.stream]
        }
        stream?.receive(update)
    }

    private func received(_ news: WireState) {
        let isFirst = self.state.withLock { state in
            let before = state.mirror
            state.mirror.take(news)
            // Declare again: the first declaration was cut to the default limit.
            if state.mirror.declaredMax != before.declaredMax, state.mirror.isConnected {
                self.transport.send(state.declaration)
            }
            if state.mirror.authorization != before.authorization || state.mirror.accuracy != before.accuracy {
                state.mirror.fix = nil
            }
            state.tellObservers()
            defer { state.wasTold = true }
            return !state.wasTold
        }
        if isFirst { self.told.signal() }
        self.regions.attend()
        self.visits.attend()
    }

    /// Prints a problem on standard error, if no return value can report it.
    static func complain(_ message: String) {
        FileHandle.standardError.write(Data("CoreLocation: \(message)\n".utf8))
    }
}

extension LocationClient.Mirror {
    fileprivate mutating func take(_ news: WireState) {
        self.authorization =
            switch news.authorization {
            case .notDetermined, .UNRECOGNIZED: .notDetermined
            case .denied: .denied
            case .restricted: .restricted
            case .whenInUse: .authorizedWhenInUse
            case .always: .authorizedAlways
            }
        self.accuracy = news.reducedAccuracy ? .reducedAccuracy : .fullAccuracy
        self.servicesEnabled = !news.servicesDisabled
        self.phase =
            switch news.phase {
            case .foreground, .UNRECOGNIZED: .foreground
            case .background: .background
            }
        self.launchReason =
            switch news.launchReason {
            case .user, .UNRECOGNIZED: .user
            case .location: .location
            case .push: .push
            }
        self.mayRunInBackground = news.mayRunInBackground
        self.hasCompass = news.compassPresent
        self.hasScanner = news.scannerPresent
        self.regions = news.regions
        self.monitorsVisits = news.visitsMonitored
        self.declaredMax = Int(news.declarationsMax)
    }
}

extension LocationClient.State {
    fileprivate func tellObservers() {
        for observer in self.observers.values { observer(self.mirror) }
    }
}
