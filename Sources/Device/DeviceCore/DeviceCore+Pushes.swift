public import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The fate of a push that the device's owner sent to test an app.
public enum PushFate: Sendable, Hashable {
    /// The push does not reach the extension.
    case refused(Note.PushRefusal)
    /// The push waits until something else wakes the device.
    case deferred
    /// A running process of the extension received the push.
    case handed
    /// A process of the extension is started for the push.
    case underWay
}

/// Pushes: stored, then acknowledged, then decided.
extension DeviceCore {
    mutating func pushBrought(_ push: Push, _ actions: inout [Action], now: Now) {
        switch self.flow.arrived(now: now.monotonic) {
        case .take: break
        case .takeAndHold: self.bounds.count(.gatewayHeld)
        case .leave: return self.bounds.count(.pushesLeft)
        }
        self.pushArrived(push, .gateway, &actions, now: now)
    }

    mutating func pushArrived(_ push: Push, _ origin: PushKeeping.Origin, _ actions: inout [Action], now: Now) {
        if self.pushes.arrived(push, origin) { actions.append(.keep(push)) }
    }

    mutating func pushKept(_ id: PushID, _ actions: inout [Action], now: Now) {
        guard let arrival = self.pushes.kept(id) else { return }
        switch arrival.origin {
        case .gateway:
            actions.append(.acknowledge(id))
            self.feed(.pushReceived(arrival.push), &actions, now: now)
        case .owner(let order):
            let begin = actions.count
            self.feed(.pushReceived(arrival.push), &actions, now: now)
            actions.append(.answer(order, .pushed(Self.fate(of: id, actions[begin...]))))
        }
    }

    mutating func pushNotKept(_ id: PushID, _ reason: String, _ actions: inout [Action], now: Now) {
        if let order = self.pushes.refused(id, now: now.monotonic) {
            actions.append(.answer(order, .failed(reason: reason)))
        }
    }

    private static func fate(of push: PushID, _ actions: ArraySlice<Action>) -> PushFate {
        for case .note(let note) in actions {
            switch note {
            case .pushRefused(push, _, let reason): return .refused(reason)
            case .pushDeferred(push, _): return .deferred
            case .pushHanded(push, _): return .handed
            default: continue
            }
        }
        return .underWay
    }
}
