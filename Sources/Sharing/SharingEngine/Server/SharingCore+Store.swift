package import WhereaboutsAPNS
package import WhereaboutsVocabulary

extension SharingCore {
    /// An operation on the store.
    package enum Access: Sendable, Hashable {
        /// ``Server/read(_:_:now:)``
        case read(Query)
        /// ``Server/write(_:_:now:)``, in a transaction.
        case write(Change)

        /// The client that waits for the result; nil if no client does.
        package var ticket: Ticket? {
            switch self {
            case .read(.isKnown(_, _, _, let ticket)), .read(.answer(_, _, let ticket)), .read(.look(let ticket, _, _)),
                .read(.isEnrollable(_, _, let ticket)), .write(.state(_, let ticket)), .write(.begin(_, _, let ticket)):
                ticket
            case .read(.push), .read(.volunteer), .write(.pushEnded), .write(.look): nil
            }
        }
    }

    /// A read of the store.
    package enum Query: Sendable, Hashable {
        /// Whether the author of a message has a registration.
        case isKnown(PublicIdentity, Statement, AddressBlock, Ticket)
        case answer(Question, AddressBlock, Ticket)
        /// Read the current state of the request or live share that an event stream reports.
        case look(Ticket, EventStreams.Kind, ReadPermit)
        /// Read the push for a request.
        case push(RequestID)
        /// Whether the author has a registration, and the store has room for an enrolment.
        case isEnrollable(Verified<Enrolment>, AddressBlock, Ticket)
        /// Read the answering device of a volunteer.
        case volunteer(PublicIdentity, AlertID, RespondersCore.Purpose)
    }

    /// A change of the store.
    package enum Change: Sendable, Hashable {
        case state(Statement, Ticket)
        /// Store a live share with its first update.
        case begin(Verified<SealedUpdate>, bytes: [UInt8], Ticket)
        case pushEnded(RequestID, of: PublicIdentity, DeviceToken?, PushRejection?)
        /// Handle requests whose deadline has come, start occurrences of schedules, and prune.
        case look

        /// The loss that the change must survive.
        ///
        /// If a power failure undoes that the push service accepted a push, the request is accepted again, and the
        /// server sends another push, which the device recognizes. The server confirmed all other changes to a client.
        package var mustSurvive: StoreLoss {
            if case .pushEnded(_, of: _, _, nil) = self { return .crash }
            return .powerFailure
        }
    }

    /// The result or the decision of an access.
    package enum Finding: Sendable, Hashable {
        case reply(Ticket, Reply)
        case isKnown(Bool, Statement, AddressBlock, Ticket)
        case link(ShownLink?, AddressBlock, Ticket)
        case update(Server.OnUpdate, Verified<SealedUpdate>, bytes: [UInt8], Ticket)
        case began(Server.OnUpdate, Verified<SealedUpdate>, bytes: [UInt8], Ticket)
        case ended(Server.OnFollowingEnded, RequestID, Ticket)
        case stream(Server.Watched?, EventStreams.Kind, ReadPermit, AddressBlock, Ticket)
        case look(Ticket, EventStreams.Look, of: RequestID)
        case push(Server.OnPushDue, RequestID)
        case pushEnded(RequestID)
        case looked
        case isEnrollable(Bool, hasRoom: Bool, Verified<Enrolment>, AddressBlock, Ticket)
        case volunteer(Registration?, AlertID, RespondersCore.Purpose)
    }
}

extension Server {
    /// Runs a read of the store.
    package func read(
        _ query: SharingCore.Query,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> SharingCore.Finding {
        try store.prefetch(query.reads)
        switch query {
        case .isKnown(let sharer, let statement, let address, let ticket):
            return .isKnown(try self.knows(sharer, store), statement, address, ticket)
        case .answer(.devices(let permit), _, let ticket):
            let (all, answering) = try self.devices(permit, store)
            return .reply(ticket, .devices(all, answering: answering))
        case .answer(.occurrences(let permit, let occurrence), _, let ticket):
            return .reply(ticket, .occurrences(try self.occurrences(after: occurrence, of: permit, store, now: now)))
        case .answer(.link(let link), let address, let ticket):
            return .link(try link.flatMap { try self.link($0, store, now: now) }, address, ticket)
        case .answer(.update(let update, let bytes), _, let ticket):
            return .update(try self.updateReceived(update, store, now: now), update, bytes: bytes, ticket)
        case .answer(.stream(let kind, let permit), let address, let ticket):
            return .stream(try self.watched(kind, permit, store, now: now), kind, permit.value, address, ticket)
        case .look(let ticket, .states, let permit):
            return .look(ticket, .states(try store.request(permit.request)), of: permit.request)
        case .look(let ticket, .updates, let permit):
            let (id, reader) = (permit.request, permit.requester)
            let standing = try self.standing(of: id, for: reader, as: .follower, store, now: now)
            return .look(ticket, .updates(standing), of: id)
        case .push(let id): return .push(try self.pushDue(id, store), id)
        case .isEnrollable(let enrolment, let address, let ticket):
            let isKnown = try self.knows(enrolment.value.person, store)
            let hasRoom = try store.room().has(roomFor: .enrolment)
            return .isEnrollable(isKnown, hasRoom: hasRoom, enrolment, address, ticket)
        case .volunteer(let person, let alert, let purpose):
            return .volunteer(try store.registration(of: person), alert, purpose)
        }
    }

    /// Runs a change of the store; its effects are performed after the commit.
    package func write(
        _ change: SharingCore.Change,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<SharingCore.Finding> {
        try store.prefetch(change.reads(now: now))
        switch change {
        case .state(let statement, let ticket): return try self.write(statement, ticket, store, now: now)
        case .begin(let update, let bytes, let ticket):
            let began = try self.followingBegan(update, store, now: now)
            return Decision(reply: .began(began, update, bytes: bytes, ticket), effects: [])
        case .pushEnded(let id, _, let token, let rejection):
            return try self.pushEnded(id, token: token, rejection, store, now: now).map { _ in .pushEnded(id) }
        case .look: return try self.look(store, now: now).map { _ in .looked }
        }
    }

    private func write(
        _ statement: SharingCore.Statement,
        _ ticket: SharingCore.Ticket,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<SharingCore.Finding> {
        switch statement {
        case .register(let registration):
            return try self.deviceRegistered(registration, store, now: now).map { .reply(ticket, .registered($0)) }
        case .remove(let removal):
            return try self.deviceRemoved(removal, store, now: now).map { .reply(ticket, .removed($0)) }
        case .revoke(let revocation):
            let reply = try self.grantRevoked(revocation, store, now: now)
            return Decision(reply: .reply(ticket, .revoked(reply)), effects: [])
        case .post(let link):
            let reply = try self.linkPosted(link, store, now: now)
            return Decision(reply: .reply(ticket, .posted(reply)), effects: [])
        case .request(let request):
            return try self.requestReceived(request, store, now: now).map {
                .reply(ticket, .requested($0, request.value.id))
            }
        case .report(let report):
            return try self.deviceReported(report, store, now: now).map { .reply(ticket, .reported($0)) }
        case .answer(let answer, let bytes):
            return try self.answerReceived(answer, bytes: bytes, store, now: now).map { .reply(ticket, .answered($0)) }
        case .end(let end, let bytes):
            return try self.followingEnded(end, bytes: bytes, store, now: now).map {
                .ended($0, end.value.request, ticket)
            }
        }
    }
}
