internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

/// The process's side of the connection to the device: its holdings, the mirrored state, and its pending questions.
///
/// The process declares all it holds, on every change and on every new connection (ADR 0007). Synchronous members
/// read the mirror, and nothing waits but the first call, one second at most (ADR 0007).
package final class LocationClient: Sendable {
    /// Whether a person sees the app.
    package enum Phase: Sendable, Hashable {
        /// The app is visible.
        case foreground
        /// The app runs unseen.
        case background
    }

    /// The reason the process was started for.
    package enum LaunchReason: Sendable, Hashable {
        case user
        /// There are positions to deliver.
        case location
        /// A location push was handed over to it.
        case push
    }

    /// The answers of synchronous members.
    package struct Mirror: Sendable, Hashable {
        var authorization: CLAuthorizationStatus = .notDetermined
        var accuracy: CLAccuracyAuthorization = .fullAccuracy
        var servicesEnabled = false
        /// Whether a person sees the app.
        package var phase: Phase = .foreground
        /// The reason the process was started for.
        package var launchReason: LaunchReason = .user
        /// Whether the app's Info.plist allows locations in the background; nil before the device has reported it.
        var mayRunInBackground: Bool?
        /// How many sessions, activities and streams, each, the device allows the process.
        ///
        /// It cuts off one that declares more, so that the rest waits until others end. Before the device said so, its usual
        /// number.
        var declaredMax = 256
        /// Whether the device can be reached.
        package var isConnected = false
        /// The newest position of any stream, while its authorization lasts.
        var fix: WireFix?
        /// Whether the device has a compass.
        var hasCompass = false
        /// Whether the device has a scanner of beacons.
        var hasScanner = false
        /// The regions of the app's managers, as the device watches them.
        var regions: [WireConditionRecord] = []
        /// Whether this process, or one before it, began to be notified of visits.
        var monitorsVisits = false

        /// The newest position of any stream, while its authorization lasts.
        var location: CLLocation? { self.fix.map { CLLocation($0) } }
    }

    /// Something the process holds and is notified about: a service session or an activity.
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
        /// Whether the process was notified of its limit.
        var toldOfLimit = false
        /// The reason locationd gave last when it refused the process.
        var refusal: String?
        var nextID: UInt64 = 1
        // Guarded by the lock like everything here; ordered by id when declared.
        var claims: [UInt64: Claim] = [:]
        var streams: [UInt64: Stream] = [:]
        var requests: [UInt64: @Sendable (Reply) -> Void] = [:]
        var observers: [UInt64: @Sendable (Mirror) -> Void] = [:]
        var monitors: [UInt64: OpenMonitor] = [:]
        var regions = Regions()
        var visits = Visits()
        /// Counts the connections: an event's number is valid only on its own connection.
        var connections: UInt64 = 0
        /// The authorization that was requested without a connection; true: Always.
        var unheardRequest: Bool?
        /// The phase that the process reported, and repeats on a new connection.
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

    /// Connects, and waits briefly for the device's state.
    package init(transport: any Transport) {
        self.transport = transport
        transport.start { [weak self] in self?.received($0) }
        let isConnected = self.state.withLock { $0.mirror.isConnected }
        if isConnected { _ = self.told.wait(timeout: .now() + 1) }
    }

    private static let ofThisProcess = LocationClient(transport: SocketTransport.ofThisProcess())

    /// In a struct, because a lock of a bare closure wraps it once more at every look (Swift 6.3).
    private struct Finder {
        var find: (@Sendable () -> LocationClient?)?
    }

    private static let finder = Mutex(Finder())

    /// Lets the virtual device, whose apps share a process, select the client of the running code; nil: the process's
    /// own.
    package static func find(with finder: @escaping @Sendable () -> LocationClient?) {
        self.finder.withLock { $0.find = finder }
    }

    /// The client of a task and its children, instead of the process's: for tests that run an app's code as it is.
    @TaskLocal package static var ofTask: LocationClient?

    /// The client of the code that runs now.
    package static func current() -> LocationClient {
        self.ofTask ?? self.finder.withLock { $0.find }?() ?? self.ofThisProcess
    }

    /// The answers of synchronous members now.
    package var mirror: Mirror {
        self.transport.used()
        return self.state.withLock { $0.mirror }
    }

    /// Calls back with every change of the mirror, one after the other, on the thread that brings it.
    ///
    /// - Parameter handler: returns soon, and calls nothing of the client.
    /// - Returns: the number to end it with.
    package func observe(_ handler: @escaping @Sendable (Mirror) -> Void) -> UInt64 {
        self.state.withLock { state in
            let id = state.takeID()
            state.observers[id] = handler
            // Under the lock, so that no change overtakes the beginning.
            handler(state.mirror)
            return id
        }
    }

    /// Ends ``observe(_:)``.
    package func endObserving(_ id: UInt64) {
        self.state.withLock { _ = $0.observers.removeValue(forKey: id) }
    }

    /// Reports whether a person sees the process; locationd believes only "no" from a process that it did not start.
    package func reportPhase(_ phase: Phase) {
        self.state.withLock { state in
            state.reportedPhase = phase
            if state.mirror.isConnected { self.transport.send(Self.report(phase)) }
        }
    }

    private static func report(_ phase: Phase) -> WireClientMessage {
        .with { $0.phaseReport = .with { $0.phase = phase == .foreground ? .foreground : .background } }
    }

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
            // Even without holdings: a connection belongs to no app before its first message (ADR 0029).
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
            // Monitors that are being opened wait until locationd is back.
            let kept = Set(state.monitors.values.flatMap(\.opening))
            let lost = state.requests.filter { !kept.contains($0.key) }
            for id in lost.keys { state.requests[id] = nil }
            return (Array(state.streams.values), Array(lost.values), state.pushes)
        }
        // Loops go on: they learn that there is no location, and go on when locationd is back (ADR 0007).
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
            // The first declaration was made before the device could report its limits.
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
        self.attendRegions()
        self.attendVisits()
    }

    /// Prints a problem for the person at the terminal that no return value can report.
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
