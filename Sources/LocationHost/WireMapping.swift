internal import Foundation
package import LocationEngine
internal import LocationWire
package import LocationWireMessages
internal import SwiftProtobuf

/// The engine's words in the wire's; the engine knows no wire (ADR 0001).
extension Whereabouts_Locationwire_V1_State.Authorization {
    package init(_ status: Authorization.Status) {
        self =
            switch status {
            case .notDetermined: .notDetermined
            case .denied: .denied
            case .whenInUse: .whenInUse
            case .always: .always
            }
    }

    /// The engine's word; nil for a number this version does not know.
    package var status: Authorization.Status? {
        switch self {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .whenInUse: .whenInUse
        case .always: .always
        case .restricted, .UNRECOGNIZED: nil
        }
    }
}

extension Whereabouts_Locationwire_V1_Fix {
    package init(_ fix: Fix) {
        self.init()
        self.latitude = fix.latitude
        self.longitude = fix.longitude
        // The engine gives none away without an accuracy; -1 is what Apple writes for an invalid one.
        self.horizontalAccuracy = fix.horizontalAccuracy ?? -1000
        if let altitude = fix.altitude { self.altitude = altitude }
        if let verticalAccuracy = fix.verticalAccuracy { self.verticalAccuracy = verticalAccuracy }
        if let course = fix.course { self.course = course }
        if let speed = fix.speed { self.speed = speed }
        self.time = fix.time.microseconds
    }
}

extension Whereabouts_Locationwire_V1_Update {
    package init(_ update: Update, stream: UInt64) {
        self.init()
        self.stream = stream
        switch update {
        case .fix(let fix): self.fix = .init(fix)
        case .unavailable(let diagnostics): self.diagnostics = UInt32(diagnostics.rawValue)
        }
    }
}

extension Whereabouts_Locationwire_V1_PushToken {
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

extension Declaration {
    package init(_ declaration: Whereabouts_Locationwire_V1_Declaration) {
        self.init(
            sessions: declaration.sessions.map { session in
                let requirement: Session.Requirement =
                    switch session.requirement {
                    case .none, .UNRECOGNIZED: .none
                    case .whenInUse: .whenInUse
                    case .always: .always
                    }
                return Session(id: session.id, requirement: requirement)
            },
            streams: declaration.streams.map(\.id)
        )
    }
}

extension Whereabouts_Locationwire_V1_State {
    package init(_ state: Engine.ClientState) {
        self.init()
        self.version = WireMessage.version
        self.authorization = .init(state.authorization)
    }
}

extension Whereabouts_Locationwire_V1_Push {
    package init(_ push: Push) {
        self.init()
        self.pushHigh = push.id.high
        self.pushLow = push.id.low
        self.payload = .init(push.payload)
        self.received = push.received.sinceStart.nanoseconds
    }
}
