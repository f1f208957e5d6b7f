internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

extension PushPool {
    /// Calls `body` with the index of a connection, if it still exists.
    mutating func withConnection(_ id: Int, _ body: (inout PushPool, Int) -> Void) {
        guard let index = self.connections.firstIndex(where: { $0.id == id }) else { return }
        body(&self, index)
    }

    mutating func settingsReceived(_ id: Int, _ streamsMax: Int?, _ now: EngineInstant) {
        self.withConnection(id) { pool, index in
            if case .opening = pool.connections[index].state { pool.effects.append(.note(.connected)) }
            pool.connections[index].settingsReceived(streamsMax: streamsMax, now: now)
        }
    }

    mutating func answered(_ id: Int, _ stream: Int32, _ verdict: PushVerdict, _ now: Now) {
        self.withConnection(id) { pool, index in
            pool.connections[index].heard(now: now.monotonic)
            let ticket = pool.connections[index].streamEnded(stream, now: now.monotonic)
            switch Self.consequence(of: verdict) {
            case .proof: pool.proved(index)
            case .keep: break
            case .leave: pool.retire(index)
            case .renew:
                pool.effects.append(.note(.tokenExpired))
                if let token = pool.connections[index].token { pool.tokens.tokenExpired(token.number, now: now.wall) }
                pool.retire(index)
            }
            if let ticket {
                switch Self.consequence(of: verdict) {
                case .proof, .keep: pool.finish(ticket, .answered(verdict))
                case .leave, .renew: pool.sendAgain(ticket, else: .answered(verdict))
                }
            }
            pool.closeIfDone(index)
        }
    }

    /// The meaning of an answer for its connection.
    private enum Consequence {
        /// The server accepted the provider token.
        case proof
        /// The server did not accept the provider token, and another connection would not help.
        case keep
        /// The server accepts nothing more on this connection, but may on another one.
        case leave
        /// The server accepts nothing more on this connection, and another provider token is needed.
        case renew
    }

    private static func consequence(of verdict: PushVerdict) -> Consequence {
        switch verdict {
        case .accepted: return .proof
        case .unreadable: return .keep
        // A rejection with a relay reason proves that the relay accepted our provider token, so the connection is healthy.
        case .rejected(_, _, relay: .some): return .proof
        case .rejected(let reason, _, relay: nil):
            switch reason {
            case .expiredProviderToken: return .renew
            case .unrelatedKeyIDInToken, .tooManyProviderTokenUpdates, .idleTimeout, .shutdown: return .leave
            case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .forbidden,
                .invalidProviderToken, .missingProviderToken, .internalServerError, .serviceUnavailable:
                return .keep
            case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
                .deviceTokenNotForTopic, .duplicateHeaders, .invalidPushType, .missingDeviceToken, .missingTopic,
                .payloadEmpty, .topicDisallowed, .badPath, .methodNotAllowed, .expiredToken, .unregistered,
                .payloadTooLarge, .tooManyRequests, .featureNotEnabled, .missingChannelID, .badChannelID,
                .channelNotRegistered, .badRequestParams, .badRequestPayload, .missingPushType,
                .cannotCreateChannelConfig, .topicMismatch:
                return .proof
            }
        }
    }

    private mutating func proved(_ index: Int) {
        if !self.connections[index].isProven { self.attemptSucceeded() }
        self.connections[index].tokenTaken()
    }

    mutating func streamEnded(_ id: Int, _ stream: Int32, _ isRefused: Bool, _ now: EngineInstant) {
        self.withConnection(id) { pool, index in
            guard let ticket = pool.connections[index].streamEnded(stream, now: now) else { return }
            if isRefused {
                pool.connections[index].streamRefused(now: now)
                pool.sendAgain(ticket, else: .refused)
            } else {
                pool.finish(ticket, .lost)
            }
            pool.closeIfDone(index)
        }
    }

    mutating func goAwayReceived(_ id: Int, _ last: Int32, _ reason: Reason?, _ now: Now) {
        self.withConnection(id) { pool, index in
            pool.connections[index].heard(now: now.monotonic)
            pool.effects.append(.note(.goAway(reason)))
            if reason == .expiredProviderToken, let token = pool.connections[index].token {
                pool.tokens.tokenExpired(token.number, now: now.wall)
            }
            // Process them in reverse order, because each is put in front of all waiting pushes.
            for ticket in pool.connections[index].takePushes(above: last).reversed() {
                switch reason {
                // APNs reports a bad certificate in this way, and would again on another connection.
                case .badCertificate?, .badCertificateEnvironment?:
                    pool.finish(ticket, .answered(.rejected(reason ?? .badCertificate, timestamp: nil)))
                default: pool.sendAgain(ticket, else: .refused)
                }
            }
            pool.retire(index)
        }
    }

    mutating func connectionEnded(_ id: Int, _ now: EngineInstant) {
        self.withConnection(id) { pool, index in
            let connection = pool.connections.remove(at: index)
            var rest = connection
            for ticket in rest.takePushes() { pool.finish(ticket, .lost) }
            if !connection.isProven, !connection.isWantedNoMore { pool.attemptFailed(now) }
        }
    }

    /// Starts no more pushes on a connection.
    mutating func retire(_ index: Int) {
        self.connections[index].retired()
        self.closeIfDone(index)
    }

    /// Closes a leaving connection after its last stream.
    mutating func closeIfDone(_ index: Int) {
        let connection = self.connections[index]
        if connection.state == .leaving, connection.streams.isEmpty { self.close(index) }
    }

    /// Closes a connection; its pushes in progress may have been accepted.
    ///
    /// - Parameters:
    ///   - index: the connection's index.
    ///   - isWantedNoMore: whether the connection is closed only because it is no longer needed, which is not a failure.
    mutating func close(_ index: Int, isWantedNoMore: Bool = false) {
        for ticket in self.connections[index].takePushes() { self.finish(ticket, .lost) }
        self.connections[index].closed(isWantedNoMore: isWantedNoMore)
        self.effects.append(.close(connection: self.connections[index].id))
    }
}
