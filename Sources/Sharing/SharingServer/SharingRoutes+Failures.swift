internal import Hummingbird
internal import NIOCore
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The core's replies as HTTP.
extension SharingRoutes {
    /// An error that the client may read.
    struct Failure: Error {
        let status: HTTPResponse.Status
        /// The reason in the metrics.
        let reason: ServerMetrics.Reason
        let message: String
        /// When to try again, if the server knows.
        var until: WallTime?
        /// The rule that the reply names; nil if the client must not learn the rule.
        var rule: Refusal?

        init(
            _ status: HTTPResponse.Status,
            _ reason: ServerMetrics.Reason,
            _ message: String,
            until: WallTime? = nil,
            rule: Refusal? = nil
        ) {
            self.status = status
            self.reason = reason
            self.message = message
            self.until = until
            self.rule = rule
        }
    }

    /// Writes a reply as a response.
    static func response(to reply: SharingCore.Reply) throws -> Response {
        switch reply {
        case .registered(.confirm), .removed(.confirm), .revoked(.confirm), .posted(.confirm), .reported(.confirm),
            .ended(.confirm):
            return Response(status: .noContent)
        case .requested(.accept, let id), .requested(.acceptAgain, let id):
            return try self.json(.accepted, Wire.Accepted(id: id))
        case .reported(.over(let state)): return try self.json(.ok, Wire.Over(state: state))
        case .answered(.deliver(let state, let pending, _)):
            return try self.json(.ok, Wire.Delivery(state: state, pending: pending.map(\.bytes)))
        case .devices(let all, let answering) where !all.isEmpty:
            return try self.json(.ok, Wire.Devices(all, answering: answering))
        case .occurrences(.occurrences(let occurrences, let next, let ended, let statement)):
            let told = occurrences.compactMap { record in
                record.life.history.last.map {
                    Wire.Occurrence(record.request.value.occurrence, Wire.State($0, answer: record.answer))
                }
            }
            let end = ended.map { Wire.Ended($0, statement: statement) }
            return try self.json(.ok, Wire.Occurrences(occurrences: told, next: next, ended: end))
        case .link(let shown?):
            var headers: HTTPFields = [.contentType: "application/octet-stream", .cacheControl: "no-store"]
            if let field = HTTPFields.Element.Name("whereabouts-uses") { headers[field] = "\(shown.uses)" }
            let body = ResponseBody(byteBuffer: ByteBuffer(bytes: shown.link.sealed))
            return Response(status: .ok, headers: headers, body: body)
        case .shown(let isWatched): return try self.json(.ok, Wire.UpdateTaken(isWatched: isWatched))
        case .over(let reason, let statement):
            let ended = Wire.Ended(reason, statement: statement)
            return try self.json(.ok, Wire.UpdateTaken(isWatched: false, ended: ended))
        case .responding(let reply): return try self.response(to: reply)
        case .devices, .removed(.unknown): throw Failure.noDevice
        case .registered(.removed): throw Failure.deviceRemoved
        case .registered(.refuse): throw Failure.tooManyDevices
        case .revoked(.refuse): throw Failure.tooManyRevocations
        case .revoked(.refuseEnd): throw Failure.revocationTooLong
        case .posted(.refuseEnd): throw Failure.linkTooLong
        case .posted(.revoked): throw Failure.linkRevoked
        case .posted(.taken): throw Failure.linkTaken
        case .posted(.refuse): throw Failure.tooManyLinks
        case .link(nil): throw Failure.noLink
        case .requested(.conflict, _): throw Failure.conflict
        case .requested(.refuse(.unknownDevice), _): throw Failure.unregistered
        case .requested(.refuse(let refusal), _): throw Failure.refused(.rule("\(refusal)"))
        case .requested(.tooSoon(let until), _): throw Failure.requestTooSoon(until)
        case .tooManyFollow: throw Failure.tooManyFollow
        case .noStream(let refusal): throw Failure.noStream(refusal)
        case .tooSoon(.statements, let until): throw Failure.statementsTooSoon(until)
        case .tooSoon(.links, let until): throw Failure.linksTooSoon(until)
        case .tooSoon(.updates, let until): throw Failure.updatesTooSoon(until)
        case .registered(.full), .removed(.full), .revoked(.full), .posted(.full), .requested(.full, _), .ended(.full),
            .full:
            throw Failure.full
        // `opened` cannot come here: the messages of an open stream replace the response.
        case .reported(.unknown), .answered(.unknown), .ended(.unknown), .occurrences(.unknown), .unknown, .opened:
            throw Failure.unknown
        case .failed: throw Failure.failed
        }
    }

    /// Writes a message of an event stream; a comment if nothing has changed, so that a dead connection is detected.
    static func text(of message: EventStreams.Message) throws -> ByteBuffer {
        switch message {
        case .states(let states): try self.text(of: states.map { Wire.State($0.state, answer: $0.answer) })
        case .update(let update): try self.text(of: update.map { [Wire.Followed(update: $0)] } ?? [])
        case .incidents(let events): try self.text(of: events.map { Wire.IncidentEvent($0) })
        case .ended(let reason, let statement):
            try self.text(of: [Wire.Followed(ended: Wire.Ended(reason, statement: statement))])
        }
    }

    private static func text(of events: [some Encodable]) throws -> ByteBuffer {
        guard !events.isEmpty else { return ByteBuffer(string: ":\n\n") }
        var text = ByteBuffer()
        for event in events {
            text.writeString("data: ")
            text.writeBytes(try self.encode(event))
            text.writeString("\n\n")
        }
        return text
    }
}

extension SharingRoutes.Failure {
    /// The reply is the same for an unknown request and for another identity's.
    static let unknown = Self(
        .notFound,
        .unknown,
        "There is no such request, or it is not yours: ask again, and sign with the key of the profile."
    )
    static let noDevice = Self(
        .notFound,
        .unknown,
        "you have no such device registered here. Open its app, or run `whereabouts devices --answer-here` on it."
    )
    static let noLink = Self(
        .notFound,
        .unknown,
        "There is no such link: it has ended or was revoked, it is incomplete, or its password is wrong."
    )
    /// The store has no room for this kind of message.
    static let full = Self(.serviceUnavailable, .room, "the server has no room for that now; try again later")
    static let failed = Self(
        .serviceUnavailable,
        .store,
        "the server cannot store anything now; try again later"
    )

    /// Refuses a request: with the same text for every reason but ``unregistered``.
    static func refused(_ reason: ServerMetrics.Reason) -> Self {
        Self(
            .forbidden,
            reason,
            "Refused. Your permission may have expired or been revoked. Ask them for a new one."
        )
    }

    /// The grant is valid, but its sharer has no device.
    static let unregistered = Self(
        .forbidden,
        .rule("\(Refusal.unknownDevice)"),
        Refusal.unknownDevice.reason,
        rule: .unknownDevice
    )
    /// The requester has another request with the same ID.
    static let conflict = Self(
        .conflict,
        .conflict,
        "Another of your requests has this ID. A request is the bytes that you signed: post the same bytes again, "
            + "or ask with a new ID."
    )
    static let deviceRemoved = Self(
        .gone,
        .removed,
        "this device was removed; run `whereabouts devices --answer-here` on it to add it again"
    )
    static let tooManyDevices = Self(
        .tooManyRequests,
        .count,
        "this person already has \(SharingPolicy.devicesPerSharerMax) devices, which is the maximum; remove one with "
            + "`whereabouts devices --remove`"
    )
    static let tooManyRevocations = Self(
        .tooManyRequests,
        .count,
        "the maximum number of revoked grants is stored for this sharer; wait until some of them end"
    )
    static let revocationTooLong = Self(
        .badRequest,
        .end,
        "the grant ends more than ten years from now, so it is refused anyway and needs no revocation"
    )
    static let linkTooLong = Self(
        .badRequest,
        .end,
        "The link has ended already, or ends more than \(Int(SharingPolicy.linkLifetimeMax / .seconds(86_400))) days ahead. "
            + "Make one for a shorter time."
    )
    static let linkRevoked = Self(.forbidden, .removed, "The link was revoked. Make another one.")
    static let linkTaken = Self(.conflict, .conflict, "There is another link at this address. Make another one.")
    static let tooManyLinks = Self(
        .tooManyRequests,
        .count,
        "This person has \(SharingPolicy.linksPerSharerMax) links, which is the maximum. Revoke one first."
    )
    static let tooManyFollow = Self(
        .tooManyRequests,
        .count,
        "the maximum number of people already follow this sharer; end one of these live shares"
    )

    static func requestTooSoon(_ until: WallTime) -> Self {
        Self(
            .tooManyRequests,
            .tooSoon,
            "Too soon. The grant or the server's limits allow the next request later.",
            until: until
        )
    }

    static func updatesTooSoon(_ until: WallTime) -> Self {
        Self(.tooManyRequests, .tooSoon, "the updates come too fast; send the next one later", until: until)
    }

    static func statementsTooSoon(_ until: WallTime) -> Self {
        Self(
            .tooManyRequests,
            .address,
            "too many registrations, links and revocations came from your network; try again later",
            until: until
        )
    }

    static func linksTooSoon(_ until: WallTime) -> Self {
        Self(
            .tooManyRequests,
            .address,
            "Too many links that do not exist were opened from your network. Try again later.",
            until: until
        )
    }

    static func noStream(_ refusal: EventStreams.Refusal) -> Self {
        let reason: ServerMetrics.Reason =
            switch refusal {
            case .count: .count
            case .address: .address
            case .places: .places
            }
        return Self(.serviceUnavailable, reason, "the maximum number of event streams is open; try again in a second")
    }
}
