internal import Testing
package import WhereaboutsAPNS
internal import WhereaboutsSharing
package import WhereaboutsSharingServer

/// The rules that every ``SharingServer/PushSender`` follows; the sharing server relies on the errors that a sender throws.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1)), arguments: PushSenderRule.allCases) func mySenderKeeps(_ rule: PushSenderRule) async throws {
///     try await rule.check(MySender(to: service)) { reply in service.replyNext(reply) }
/// }
/// ```
/// The sender needs a push service that gives the replies of the rule.
package enum PushSenderRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Sending a push that the service accepts throws no error.
    case anAcceptedPushIsNoError
    /// The error for an unregistered token means that the device counts as removed.
    case aDeadTokenIsUnregistered
    /// If the service rejects a token for another reason, the error does not say that the device is gone.
    case anUnknownTokenIsNotDead
    /// If the service is busy, closing or broken, the sender or its caller tries again.
    case aBusyServiceIsTemporary
    /// If the service does not answer, the sender or its caller tries again.
    case aLostConnectionIsTemporary
    /// A push that fails by the server's own fault is not sent again.
    case anOwnFaultIsPermanent
    /// After a failure the next push goes through.
    case aFailureLeavesTheSenderWhole

    /// A reply of the push service to the next push.
    package enum Reply: Sendable, Hashable {
        case accept
        /// The service rejects the push, with this reason.
        case reject(Reason)
        /// The connection breaks before there is a reply.
        case hangUp
    }

    /// The name of the rule.
    package var testDescription: String { self.rawValue }

    /// Checks the rule; a violation is an issue of the running test.
    ///
    /// - Parameters:
    ///   - sender: a sender that only this check uses.
    ///   - replyNext: sets the service's reply to the next push.
    /// - Throws: an error of `sender` or `replyNext` that breaks the rule.
    package func check(_ sender: some PushSender, replyNext: (Reply) async throws -> Void) async throws {
        let push = try Self.push()
        /// The rejection after a reply; nil when the push was accepted.
        func sent(_ reply: Reply) async throws -> PushRejection? {
            try await replyNext(reply)
            do {
                try await sender.send(push, payload: Array("{}".utf8))
                return nil
            } catch {
                return error
            }
        }
        switch self {
        case .anAcceptedPushIsNoError: #expect(try await sent(.accept) == nil)
        case .aDeadTokenIsUnregistered:
            for reason in [Reason.unregistered, .expiredToken] {
                #expect(try await sent(.reject(reason)) == .unregistered)
            }
        case .anUnknownTokenIsNotDead:
            for reason in [Reason.badDeviceToken, .deviceTokenNotForTopic] {
                #expect(try await sent(.reject(reason)) == .tokenRefused(reason))
            }
        case .aBusyServiceIsTemporary:
            for reason in [Reason.tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown] {
                let rejection = try await sent(.reject(reason))
                #expect(rejection == nil || Self.isTemporary(rejection), "\(reason)")
            }
        case .aLostConnectionIsTemporary:
            let rejection = try await sent(.hangUp)
            #expect(rejection == nil || Self.isTemporary(rejection))
        case .anOwnFaultIsPermanent:
            for reason in [Reason.badTopic, .payloadTooLarge, .forbidden] {
                guard case .permanent = try await sent(.reject(reason)) else {
                    Issue.record("\(reason) is tried again")
                    continue
                }
            }
        case .aFailureLeavesTheSenderWhole:
            for reply in [Reply.reject(.serviceUnavailable), .hangUp, .reject(.badTopic)] {
                _ = try await sent(reply)
                #expect(try await sent(.accept) == nil, "after \(reply)")
            }
        }
    }

    private static func isTemporary(_ rejection: PushRejection?) -> Bool {
        if case .temporary = rejection { true } else { false }
    }

    private static func push() throws -> RequestPush {
        struct Pair: Acquaintance { let sharer, requester: Identity }
        let (sharer, requester) = try Pair.people()
        return RequestPush(
            token: try #require(DeviceToken(bytes: Array(repeating: 7, count: 32))),
            topic: "com.example.Friends",
            key: [9] + Array(repeating: 0, count: RegisteredDevice.pushKeyByteCount - 1),
            request: try Pair(sharer: sharer, requester: requester).request(1)
        )
    }
}
