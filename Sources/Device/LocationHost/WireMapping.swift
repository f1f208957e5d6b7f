internal import Foundation
internal import SwiftProtobuf
package import WhereaboutsDeviceCore
package import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
package import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Maps the engine's names to the wire's; the engine knows no wire (ADR 0001).
extension WireState.Authorization {
    package init(_ status: Authorization.Status) {
        self =
            switch status {
            case .notDetermined: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .whenInUse: .whenInUse
            case .always: .always
            }
    }
}

extension WireFix {
    package init(_ fix: Fix) {
        self.init()
        self.latitude = fix.latitude
        self.longitude = fix.longitude
        // The engine always has an accuracy; Apple writes -1 for an invalid one.
        self.horizontalAccuracy = fix.horizontalAccuracy ?? -1000
        if let altitude = fix.altitude { self.altitude = altitude }
        if let altitude = fix.ellipsoidalAltitude { self.ellipsoidalAltitude = altitude }
        if let verticalAccuracy = fix.verticalAccuracy { self.verticalAccuracy = verticalAccuracy }
        if let course = fix.course { self.course = course }
        if let accuracy = fix.courseAccuracy { self.courseAccuracy = accuracy }
        if let speed = fix.speed { self.speed = speed }
        if let accuracy = fix.speedAccuracy { self.speedAccuracy = accuracy }
        self.simulated = fix.isSimulated
        self.time = fix.time.microseconds
    }
}

extension WireHeading {
    package init(_ heading: Heading) {
        self.init()
        if let magnetic = heading.magnetic { self.magnetic = magnetic }
        if let geographic = heading.geographic { self.geographic = geographic }
        if let accuracy = heading.accuracy { self.accuracy = accuracy }
        self.time = heading.time.microseconds
    }
}

extension WireVisit {
    package init(_ visit: Visit) {
        self.init()
        self.latitude = visit.latitude
        self.longitude = visit.longitude
        self.radius = visit.radius
        if visit.isArrivalKnown { self.arrival = visit.since.microseconds }
        if let departure = visit.departure { self.departure = departure.microseconds }
    }
}

extension WireUpdate {
    package init(_ update: Update, stream: UInt64) {
        self.init()
        self.stream = stream
        switch update.element {
        case .fix(let fix): self.fix = .init(fix)
        case .heading(let heading): self.heading = .init(heading)
        case .visit(let visit): self.visit = .init(visit)
        case .beacons(let survey): self.beacons.beacons = survey.beacons.map { .init($0) }
        case nil: break
        }
        self.diagnostics = UInt32(update.diagnostics.rawValue)
    }
}

extension Engine.Message {
    /// The message in its wire form.
    package var wire: WireDaemonMessage {
        .with { wire in
            switch self {
            case .state(let state): wire.state = .init(state)
            case .update(let update, let stream): wire.update = .init(update, stream: stream)
            case .diagnostics(let diagnostics, let session):
                wire.diagnostics.session = session
                wire.diagnostics.diagnostics = UInt32(diagnostics.rawValue)
            case .monitor(let news, let monitor): wire.take(news, of: monitor)
            case .requestResult(let result, let request):
                wire.requestResult.request = request
                wire.requestResult.declined = result == .declined
            case .pushToken(let result, let request): wire.pushToken = .init(result, request: request)
            case .push(let push): wire.push = .init(push)
            case .warning: wire.warning = .init()
            case .finish: wire.finish = .init()
            }
        }
    }
}

extension WirePushToken {
    package init(_ result: Engine.PushTokenResult, request: UInt64) {
        self.init()
        self.request = request
        switch result {
        case .token(let token): self.token = .init(token)
        case .failure(.unknown): self.failure = .unknown
        case .failure(.missingPushExtension): self.failure = .missingPushExtension
        case .failure(.missingPushServerEnvironment): self.failure = .missingPushServerEnvironment
        case .failure(.missingEntitlement): self.failure = .missingEntitlement
        }
    }
}

extension ClientMessage {
    /// Reads a client's message; nil for a message of a later version.
    package init?(_ message: WireClientMessage) {
        switch message.body {
        case .declaration(let declaration): self = .declaration(Declaration(declaration))
        case .pushTokenRequest(let request): self = .pushTokenRequest(request: request.request)
        case .geocodeRequest(let request): self = .geocodeRequest(GeocodeQuestion(request), request: request.request)
        case .stopMonitoringPushes: self = .stopMonitoringPushes
        case .pushCompleted(let push): self = .pushCompleted(PushID(high: push.pushHigh, low: push.pushLow))
        case .authorizationRequest(let request): self = .authorizationRequest(request.always ? .always : .whenInUse)
        case .monitorChange(let change):
            guard let change = MonitorChange(change) else { return nil }
            self = .monitorChange(change)
        case .fullAccuracyRequest(let request):
            self = .fullAccuracyRequest(purpose: request.purpose, request: request.request)
        case .phaseReport(let report):
            guard let phase = report.phase.phase else { return nil }
            self = .phaseReport(phase)
        case nil: return nil
        }
    }
}

extension GeocodeQuestion {
    package init?(_ request: WireGeocodeRequest) {
        switch request.question {
        case .address(let address):
            let near = request.hasNear ? request.near : nil
            let circle = near.map { Circle(latitude: $0.latitude, longitude: $0.longitude, radius: $0.radius) }
            self.init(.address(address, near: circle), languages: request.languages)
        case .place(let place):
            self.init(.place(latitude: place.latitude, longitude: place.longitude), languages: request.languages)
        case nil: return nil
        }
    }
}

extension Declaration {
    package init(_ declaration: WireDeclaration) {
        self.init(
            sessions: declaration.sessions.map { session in
                let requirement: Session.Requirement =
                    switch session.requirement {
                    case .none, .UNRECOGNIZED: .none
                    case .whenInUse: .whenInUse
                    case .always: .always
                    }
                let purpose = session.hasFullAccuracyPurpose ? session.fullAccuracyPurpose : nil
                return Session(id: session.id, requirement: requirement, fullAccuracyPurpose: purpose)
            },
            streams: declaration.streams.map { Stream(id: $0.id, service: Service($0.service)) },
            activities: declaration.activities.map { activity in
                switch activity.kind {
                case .liveActivity(let live): Activity(id: activity.id, kind: .liveActivity(title: live.title))
                case .backgroundSession, nil: Activity(id: activity.id, kind: .backgroundSession)
                }
            },
            monitors: declaration.monitors.map { Monitor(id: $0.id, name: $0.name, isRead: $0.isRead) }
        )
    }
}

extension Service {
    package init(_ service: WireStream.OneOf_Service?) {
        switch service {
        case .live(let live): self = .live(LiveConfiguration(live.configuration))
        case .standard(let standard):
            self = .standard(
                StandardOptions(
                    desiredAccuracy: standard.desiredAccuracy,
                    distanceFilter: standard.distanceFilter,
                    activity: LiveConfiguration(standard.activity),
                    pausesAutomatically: standard.pausesAutomatically,
                    allowsBackground: standard.allowsBackground,
                    showsIndicator: standard.showsIndicator
                )
            )
        case .once(let once): self = .once(desiredAccuracy: once.desiredAccuracy)
        case .heading(let heading): self = .heading(filter: heading.filter)
        case .significantChanges: self = .significantChanges
        case .visits: self = .visits
        case .ranging(let identity): self = .ranging(BeaconIdentity(identity))
        case nil: self = .live(.default)
        }
    }
}

extension LiveConfiguration {
    package init(_ configuration: WireConfiguration) {
        self =
            switch configuration {
            case .default, .UNRECOGNIZED: .default
            case .automotiveNavigation: .automotiveNavigation
            case .otherNavigation: .otherNavigation
            case .fitness: .fitness
            case .airborne: .airborne
            }
    }
}

extension WireState {
    package init(_ state: Engine.ClientState) {
        self.init()
        self.version = WireMessage.version
        self.authorization = .init(state.authorization)
        self.reducedAccuracy = !state.isPrecise
        self.servicesDisabled = !state.servicesEnabled
        self.phase = .init(state.phase)
        self.launchReason =
            switch state.launchReason {
            case .user: .user
            case .location: .location
            case .push: .push
            }
        self.mayRunInBackground = state.mayRunInBackground
        self.declarationsMax = UInt32(clamping: state.declarationsMax)
        self.compassPresent = state.sensors[.compass]
        self.scannerPresent = state.sensors[.scanner]
        self.regions = state.regions.map { .init($0) }
        self.visitsMonitored = state.monitorsVisits
    }
}

extension WirePhase {
    package init(_ phase: Lifecycle.Phase) {
        self =
            switch phase {
            case .foreground: .foreground
            case .background: .background
            }
    }

    /// The engine's value; nil for a number that this version does not know.
    package var phase: Lifecycle.Phase? {
        switch self {
        case .foreground: .foreground
        case .background: .background
        case .UNRECOGNIZED: nil
        }
    }
}

extension WirePush {
    package init(_ push: Push) {
        self.init()
        self.pushHigh = push.id.high
        self.pushLow = push.id.low
        self.payload = .init(push.payload)
        self.received = push.received.sinceStart.nanoseconds
    }
}
