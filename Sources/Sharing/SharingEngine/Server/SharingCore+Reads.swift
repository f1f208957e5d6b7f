package import WhereaboutsVocabulary

/// The reads that an access needs in any case.
///
/// A read that depends on the result of another one is missing here, and is one more round trip of a store that answers over a network.
extension SharingCore.Query {
    package var reads: [StoreRead] {
        switch self {
        case .isKnown(let sharer, _, _, _): [.registrations(of: sharer)]
        case .answer(.devices(let permit), _, _): [.registrations(of: permit.value.sharer)]
        case .answer(.occurrences(let permit, let occurrence), _, _):
            [
                .schedule(permit.value.request),
                .occurrences(
                    of: permit.value.request,
                    after: occurrence,
                    max: ScheduleRecord.occurrencesPerReplyMax
                ),
            ]
        case .answer(.link(let address), _, _): address.map { [.link($0), .useCount(of: $0)] } ?? []
        case .answer(.update(let update, _), _, _):
            [.request(update.value.request), .following(update.value.request)]
        case .answer(.stream(_, let permit), _, _): [.request(permit.value.request), .following(permit.value.request)]
        case .look(_, .states, let permit): [.request(permit.request)]
        case .look(_, .updates, let permit): [.request(permit.request), .following(permit.request)]
        case .push(let id): [.request(id)]
        case .isEnrollable(let enrolment, _, _): [.registrations(of: enrolment.value.person), .room]
        case .volunteer(let person, _, _): [.registrations(of: person)]
        }
    }
}

extension SharingCore.Change {
    package func reads(now: WallTime) -> [StoreRead] {
        switch self {
        case .state(let statement, _): statement.reads
        case .begin(let update, _, _):
            [
                .request(update.value.request), .following(update.value.request),
                .followingCount(of: update.value.sharer, now: now), .room,
            ]
        case .pushEnded(let id, let sharer, _, _):
            [.request(id), .registrations(of: sharer), .pending(for: sharer)]
        case .look: [.due(now: now, max: Server.dueMax), .schedulesDue(now: now, max: Server.dueMax), .nextDeadline]
        }
    }
}

extension SharingCore.Statement {
    fileprivate var reads: [StoreRead] {
        switch self {
        case .register(let registration):
            [
                .registrations(of: registration.value.sharer),
                .removalEnd(registration.value.device.id, of: registration.value.sharer), .room,
            ]
        case .remove(let removal):
            [
                .registrations(of: removal.value.sharer),
                .removalEnd(removal.value.device, of: removal.value.sharer), .room,
            ]
        case .revoke(let revocation):
            [.revocationCount(of: revocation.value.sharer, besides: revocation.value.grant), .room]
        case .post(let link):
            [
                .isRevoked(link.value.grant, of: link.value.sharer), .link(link.value.address),
                .linkCount(of: link.value.sharer), .room,
            ]
        case .request(let request):
            request.value.precedents + [.room]
                + (request.value.repetition == nil ? [] : [.scheduleLoad(under: request.value.grant.value)])
        case .report(let report): [.request(report.value.request)]
        case .answer(let answer, _):
            [
                .request(answer.value.request), .registrations(of: answer.value.sharer),
                .pending(for: answer.value.sharer),
            ]
        case .end(let end, _):
            [.request(end.value.request), .schedule(end.value.request), .following(end.value.request), .room]
        }
    }
}

extension Request {
    /// The reads of ``Server/precedents(of:_:now:)``.
    var precedents: [StoreRead] {
        let grant = self.grant.value
        return [
            .request(self.id), .registrations(of: grant.sharer), .isRevoked(grant.id, of: grant.sharer),
            .paidUntil(under: grant), .pushesPaidUntil(of: grant.sharer), .pending(for: grant.sharer),
            .load(under: grant),
        ]
    }
}
