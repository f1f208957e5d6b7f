public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// A read from the store that an input needs, known before the input is handled (``Gateway/reads(of:now:)``).
public enum PushStoreRead: Sendable, Hashable {
    /// The record of a token, and the stored push that a push for the token would replace.
    case token(DeviceToken)
    /// The registered tokens of a device, and their summary.
    case tokens(of: DeviceKey)
    /// The pushes stored for a device.
    case pushes(of: DeviceKey)
    /// A sender's account for a day, and the end of its wait.
    case sender(Sender.Name, on: AccountDay)
}

extension Gateway {
    /// Returns what handling an input will read.
    ///
    /// The list may be incomplete: what a token's removal reads depends on the token's record. A store reads the rest when it is
    /// needed.
    public func reads(of input: Input, now: WallTime) -> [PushStoreRead] {
        switch input {
        case .pushReceived(let push, let sender, _):
            let account = sender.map { [PushStoreRead.sender($0.name, on: AccountDay(now))] } ?? []
            return [.token(push.token)] + account
        case .linkOpened(_, let key, _), .deviceRemoved(let key, _): return [.tokens(of: key), .pushes(of: key)]
        case .requested(.register, _, let key), .requested(.unregister, _, let key): return [.tokens(of: key)]
        case .tokenRemoved(let token, _): return [.token(token)]
        case .linkClosed, .requested, .sweepDue, .relayEnded: return []
        }
    }
}
