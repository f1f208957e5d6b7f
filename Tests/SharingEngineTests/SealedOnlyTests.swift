internal import SystemSimulator
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A server whose gateway others run: what they would read does not leave it.
struct SealedOnlyTests {
    /// Registers a device with a key or without one, asks it, and returns what is to be sent with the state that the request is in then.
    private static func push(
        hasKey: Bool,
        sealedOnly: Bool
    ) throws -> (due: Server.OnPushDue, state: RequestState?) {
        var (server, store) = (
            Server(policy: SharingPolicy(), pushesSealedOnly: sealedOnly, now: noon), ModelRequestStore()
        )
        func transact<Value>(_ body: (any RequestStoreTransaction) throws -> Value) throws -> Value {
            let (value, changed) = try store.transaction(body)
            if let changed { store = changed }
            return value
        }
        let device = try RegisteredDevice(
            id: DeviceID(high: 0, low: 1),
            chosen: noon,
            pushKey: Array(repeating: 1, count: RegisteredDevice.pushKeyByteCount),
            sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
        )
        let registration = try Registration(
            sharer: identity(3),
            token: [1],
            topic: "a",
            issued: noon,
            device: hasKey ? device : nil
        )
        let request = try makeRequest(2)
        _ = try transact {
            try server.deviceRegistered(Verified(Signed(value: registration, signature: [])), $0, now: noon)
        }
        let asked = try transact { try server.requestReceived(request, $0, now: noon) }
        _ = server.committed(asked.effects)
        let due = try server.pushDue(request.value.id, store.view)
        if case .reject(let rejection) = due {
            _ = try transact { try server.pushEnded(request.value.id, token: nil, rejection, $0, now: noon) }
        }
        return (due, try store.view.request(request.value.id)?.life.history.last)
    }

    /// Goal: whoever asked hears at once why nobody is reached, and what would help.
    @Test func nothingLeavesThatIsNotSealed() throws {
        let (due, state) = try Self.push(hasKey: false, sealedOnly: true)
        guard case .reject = due else {
            Issue.record("it would have been sent: \(due)")
            return
        }
        #expect(state?.kind == .failed && state?.reason.contains("too old to have requests sealed to it") == true)
    }

    @Test(arguments: [(true, true), (true, false), (false, false)]) func theRestIsSent(
        _ hasKey: Bool,
        _ sealedOnly: Bool
    ) throws {
        guard case .send(let push) = try Self.push(hasKey: hasKey, sealedOnly: sealedOnly).due else {
            Issue.record("it was not sent")
            return
        }
        #expect((push.key != nil) == hasKey)
    }
}
