internal import CLinux
internal import Foundation
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf
internal import Synchronization

/// The process's side of the connection to the device: what it holds, what it was told, who waits for what.
///
/// What is held is declared as a whole, on every change and on every new connection (ADR 0007). Synchronous members
/// read the mirror, and nothing waits but the first call, one second at most (ADR 0007).
package final class LocationClient: Sendable {
    /// What synchronous members answer.
    struct Mirror: Sendable {
        var authorization: CLAuthorizationStatus = .notDetermined
        var isConnected = false
        var wasTold = false
    }

    typealias UpdateMailbox = Mailbox<CLLocationUpdate>
    typealias DiagnosticMailbox = Mailbox<CLServiceSession.Diagnostic>

    fileprivate struct Session {
        var requirement: CLServiceSession.AuthorizationRequirement
        var latest: CLServiceSession.Diagnostic?
        var watchers: [UInt64: DiagnosticMailbox] = [:]
    }

    fileprivate struct State {
        var mirror = Mirror()
        var nextID: UInt64 = 1
        // Guarded by the lock like everything here; ordered by id when declared.
        var sessions: [UInt64: Session] = [:]
        var streams: [UInt64: UpdateMailbox] = [:]
        var tokenRequests: [UInt64: @Sendable (Result<Data, CLLocationPushServiceError>) -> Void] = [:]
        var pushes: (@Sendable (PushEvent) -> Void)?
        var earlyPushes: [PushEvent] = []
    }

    private let state = Mutex(State())
    private let told = DispatchSemaphore(value: 0)
    private let transport: any Transport

    /// Connects, and waits a moment to be told how things stand.
    package init(transport: any Transport) {
        self.transport = transport
        transport.start { [weak self] in self?.received($0) }
        let isConnected = self.state.withLock { $0.mirror.isConnected }
        if isConnected { _ = self.told.wait(timeout: .now() + 1) }
    }

    private static let ofThisProcess = LocationClient(transport: SocketTransport.ofThisProcess())

    private static let finder = Mutex<(@Sendable () -> LocationClient?)?>(nil)

    /// Lets the virtual device, where several apps share a process, say whose code runs now; nil: this process's own.
    package static func find(with finder: @escaping @Sendable () -> LocationClient?) {
        self.finder.withLock { $0 = finder }
    }

    /// The client of the code that runs now.
    package static func current() -> LocationClient {
        self.finder.withLock { $0 }?() ?? self.ofThisProcess
    }

    /// What synchronous members answer now.
    var mirror: Mirror { self.state.withLock { $0.mirror } }

    // MARK: Sessions

    func addSession(_ requirement: CLServiceSession.AuthorizationRequirement) -> UInt64 {
        self.declare { state in
            let id = state.takeID()
            state.sessions[id] = Session(requirement: requirement)
            return id
        }
    }

    func endSession(_ id: UInt64) {
        let watchers = self.declare { state in
            state.sessions.removeValue(forKey: id).map { Array($0.watchers.values) } ?? []
        }
        for watcher in watchers { watcher.finish() }
    }

    /// Begins to watch a session's diagnostics; the latest comes at once.
    ///
    /// An ended session gives nothing.
    func watchSession(_ id: UInt64) -> (watcher: UInt64, mailbox: DiagnosticMailbox) {
        let mailbox = DiagnosticMailbox()
        let watcher = self.state.withLock { state in
            let watcher = state.takeID()
            guard var session = state.sessions[id] else {
                mailbox.finish()
                return watcher
            }
            session.watchers[watcher] = mailbox
            state.sessions[id] = session
            if let latest = session.latest { mailbox.put(latest, isReplaceable: false) }
            return watcher
        }
        return (watcher, mailbox)
    }

    func unwatchSession(_ id: UInt64, watcher: UInt64) {
        self.state.withLock { _ = $0.sessions[id]?.watchers.removeValue(forKey: watcher) }
    }

    // MARK: Streams

    func openStream() -> (id: UInt64, mailbox: UpdateMailbox) {
        let mailbox = UpdateMailbox()
        let (id, isConnected) = self.declare { state in
            let id = state.takeID()
            state.streams[id] = mailbox
            return (id, state.mirror.isConnected)
        }
        if !isConnected { mailbox.put(.withoutDaemon, isReplaceable: false) }
        return (id, mailbox)
    }

    func closeStream(_ id: UInt64) {
        self.declare { state in _ = state.streams.removeValue(forKey: id) }
    }

    // MARK: Location pushes

    func requestPushToken(
        _ completion: @escaping @Sendable (Result<Data, CLLocationPushServiceError>) -> Void
    ) {
        let id = self.state.withLock { state -> UInt64? in
            guard state.mirror.isConnected else { return nil }
            let id = state.takeID()
            state.tokenRequests[id] = completion
            return id
        }
        guard let id else { return completion(.failure(CLLocationPushServiceError(.unknown))) }
        self.transport.send(.with { $0.pushTokenRequest = .with { $0.request = id } })
    }

    func stopMonitoringPushes() {
        self.transport.send(.with { $0.stopMonitoringPushes = .init() })
    }

    /// What an extension's process is told.
    enum PushEvent: Sendable {
        /// A push to handle.
        case payload(Whereabouts_Locationwire_V1_Push)
        /// The process will be terminated.
        case warning
        /// The work is done.
        case finish
        /// locationd is gone, and with it the reason to run.
        case abandoned
    }

    /// Takes over the pushes of this process; those that came already are given at once.
    func handlePushes(_ handler: @escaping @Sendable (PushEvent) -> Void) {
        let early = self.state.withLock { state in
            state.pushes = handler
            defer { state.earlyPushes = [] }
            return state.earlyPushes
        }
        for event in early { handler(event) }
    }

    func completePush(high: UInt64, low: UInt64) {
        self.transport.send(
            .with {
                $0.pushCompleted = .with {
                    $0.pushHigh = high
                    $0.pushLow = low
                }
            }
        )
    }

    // MARK: The wire

    /// Changes what is held, and declares the whole of it.
    ///
    /// The message is sent under the lock: two changes must reach the device in the order they were made.
    private func declare<Result: Sendable>(_ change: (inout sending State) -> sending Result) -> Result {
        self.state.withLock { state in
            let result = change(&state)
            if state.mirror.isConnected { self.transport.send(state.declaration) }
            return result
        }
    }

    private func received(_ event: TransportEvent) {
        switch event {
        case .connected:
            self.state.withLock { state in
                state.mirror.isConnected = true
                if !state.sessions.isEmpty || !state.streams.isEmpty { self.transport.send(state.declaration) }
            }
        case .disconnected: self.disconnected()
        case .message(let message): self.received(message)
        }
    }

    private func disconnected() {
        let (streams, requests, pushes) = self.state.withLock { state in
            state.mirror = Mirror()
            defer { state.tokenRequests = [:] }
            return (Array(state.streams.values), Array(state.tokenRequests.values), state.pushes)
        }
        // Loops go on: they hear that there is no location, and go on when locationd is back (ADR 0007).
        for stream in streams { stream.put(.withoutDaemon, isReplaceable: false) }
        for request in requests { request(.failure(CLLocationPushServiceError(.unknown))) }
        pushes?(.abandoned)
    }

    private func received(_ message: Whereabouts_Locationwire_V1_DaemonMessage) {
        switch message.body {
        case .state(let news): self.received(news)
        case .update(let update):
            let mailbox = self.state.withLock { $0.streams[update.stream] }
            mailbox?.put(CLLocationUpdate(update), isReplaceable: update.diagnostics == 0)
        case .diagnostics(let news):
            let diagnostic = CLServiceSession.Diagnostic(bits: news.diagnostics)
            let watchers = self.state.withLock { state in
                state.sessions[news.session]?.latest = diagnostic
                return state.sessions[news.session].map { Array($0.watchers.values) } ?? []
            }
            for watcher in watchers { watcher.put(diagnostic, isReplaceable: false) }
        case .pushToken(let news):
            let completion = self.state.withLock { $0.tokenRequests.removeValue(forKey: news.request) }
            completion?(Self.tokenResult(news))
        case .push(let push): self.pushed(.payload(push))
        case .warning: self.pushed(.warning)
        case .finish: self.pushed(.finish)
        case .requestResult: break
        case .refusal(let refusal):
            FileHandle.standardError.write(Data("CoreLocation: \(refusal.message)\n".utf8))
            self.told.signal()
        case nil: break
        }
    }

    private func received(_ news: Whereabouts_Locationwire_V1_State) {
        let isFirst = self.state.withLock { state in
            state.mirror.authorization =
                switch news.authorization {
                case .notDetermined, .UNRECOGNIZED: .notDetermined
                case .denied: .denied
                case .restricted: .restricted
                case .whenInUse: .authorizedWhenInUse
                case .always: .authorizedAlways
                }
            defer { state.mirror.wasTold = true }
            return !state.mirror.wasTold
        }
        if isFirst { self.told.signal() }
    }

    private static func tokenResult(
        _ news: Whereabouts_Locationwire_V1_PushToken
    ) -> Result<Data, CLLocationPushServiceError> {
        switch news.failure {
        case .none: .success(news.token)
        case .unknown, .UNRECOGNIZED: .failure(CLLocationPushServiceError(.unknown))
        case .missingPushExtension: .failure(CLLocationPushServiceError(.missingPushExtension))
        case .missingPushServerEnvironment: .failure(CLLocationPushServiceError(.missingPushServerEnvironment))
        case .missingEntitlement: .failure(CLLocationPushServiceError(.missingEntitlement))
        }
    }

    private func pushed(_ event: PushEvent) {
        let handler = self.state.withLock { state in
            // The bound is locationd's: it hands over no more than may wait (Policy.pushesWaitingMax).
            if state.pushes == nil { state.earlyPushes.append(event) }
            return state.pushes
        }
        handler?(event)
    }
}

extension LocationClient.State {
    fileprivate mutating func takeID() -> UInt64 {
        defer { self.nextID += 1 }
        return self.nextID
    }

    fileprivate var declaration: Whereabouts_Locationwire_V1_ClientMessage {
        .with {
            $0.declaration = .with {
                $0.sessions = self.sessions.sorted { $0.key < $1.key }.map { id, session in
                    .with {
                        $0.id = id
                        $0.requirement =
                            switch session.requirement {
                            case .none: .none
                            case .whenInUse: .whenInUse
                            case .always: .always
                            }
                    }
                }
                $0.streams = self.streams.keys.sorted().map { id in
                    .with {
                        $0.id = id
                        $0.live = .init()
                    }
                }
            }
        }
    }
}
