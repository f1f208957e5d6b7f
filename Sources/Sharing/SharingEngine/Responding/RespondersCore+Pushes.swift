internal import DequeModule
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

// MARK: Pushes

extension RespondersCore {
    /// Reads the devices of the next volunteers; a push waits until its row is on disk.
    mutating func nextPushes() -> [SharingCore.Effect] {
        var effects: [SharingCore.Effect] = []
        while self.pushing.count < Self.pushesMax, let next = self.pushes.popFirst() {
            // The end of an alert must not overtake the alert; it follows in `pushEnded`.
            guard let alert = self.alerts[next.alert], !self.pushing.contains(next.alert) else { continue }
            let read = SharingCore.Effect.access(.read(.volunteer(alert.person, next.alert, next.purpose)))
            guard next.purpose != .key else {
                effects.append(read)
                continue
            }
            self.pushing.insert(next.alert)
            if self.writing == nil, self.changed.isEmpty {
                effects.append(read)
            } else {
                self.held.append(read)
            }
        }
        return effects
    }

    /// Records the answering device of a volunteer.
    mutating func deviceFound(
        _ device: Registration?,
        _ id: AlertID,
        _ purpose: Purpose,
        now: Now
    ) -> [SharingCore.Effect] {
        guard let alert = self.alerts[id] else {
            self.pushing.remove(id)
            return self.flush(now: now)
        }
        guard purpose != .key else {
            if alert.end != nil { return self.flush(now: now) }
            guard let device, !device.token.isEmpty else {
                let effects = self.dispatch.handle(.pushFailed(id), now: now, using: &self.generator)
                self.carryOut(effects, now: now)
                return self.flush(now: now)
            }
            self.alerts[id]?.key = device.device.pushKey
            self.show(id, now: now)
            return self.flush(now: now)
        }
        let notice = self.notice(id, purpose)
        guard let notice else {
            self.pushing.remove(id)
            return self.flush(now: now)
        }
        guard let device, let push = AlertPush(of: notice, id, to: device, now: now.wall) else {
            return self.pushEnded(id, notice, .unregistered, now: now)
        }
        return [.sendAlert(push)] + self.flush(now: now)
    }

    /// The store failed: the phone's key counts as missing, a push as not sent.
    mutating func deviceNotRead(_ id: AlertID, _ purpose: Purpose, now: Now) -> [SharingCore.Effect] {
        switch purpose {
        case .key: return self.deviceFound(nil, id, .key, now: now)
        case .alert, .end:
            guard let notice = self.notice(id, purpose) else {
                self.pushing.remove(id)
                return self.flush(now: now)
            }
            return self.pushEnded(id, notice, .temporary("the store failed"), now: now)
        }
    }

    /// The notice to push; nil if it is not needed any more.
    private func notice(_ id: AlertID, _ purpose: Purpose) -> ResponderNotice? {
        guard let alert = self.alerts[id], let row = alert.row else { return nil }
        switch purpose {
        case .alert where row.end == nil:
            return self.incidents[alert.incident].map { .alert(row.alert, of: $0.opening) }
        case .end where row.isUntold: return row.end.map { .ended(id, $0) }
        case .key, .alert, .end: return nil
        }
    }

    /// Records the push service's reply.
    mutating func pushEnded(
        _ id: AlertID,
        _ notice: ResponderNotice,
        _ rejection: PushRejection?,
        now: Now
    ) -> [SharingCore.Effect] {
        self.pushing.remove(id)
        switch notice {
        case .alert:
            if rejection != nil {
                // It may have been delivered, so the machine also stands the person down.
                let effects = self.dispatch.handle(.pushFailed(id), now: now, using: &self.generator)
                self.carryOut(effects, now: now)
            }
            if self.alerts[id]?.row?.isUntold == true { self.pushes.append(Push(alert: id, purpose: .end)) }
        case .ended:
            let attempts = (self.alerts[id]?.attempts ?? 0) + 1
            self.alerts[id]?.attempts = attempts
            if case .temporary? = rejection, attempts < Self.attemptsMax {
                self.timers.insert(.push(id), at: now.monotonic.advanced(by: Self.retry))
            } else {
                self.alerts[id]?.row?.isUntold = false
                if let row = self.alerts[id]?.row { self.write(.alert(row)) }
            }
        }
        return self.flush(now: now)
    }
}

// MARK: Streams

extension RespondersCore {
    mutating func watched(
        by permit: Verified<IncidentsPermit>,
        _ ticket: SharingCore.Ticket,
        now: Now
    ) -> [SharingCore.Effect] {
        let dispatcher = permit.value.dispatcher
        guard self.boards[dispatcher] != nil else {
            return [.reply(ticket, .responding(.refuse(.unknownDispatcher)))]
        }
        guard self.phase == .loaded else { return [.reply(ticket, .failed)] }
        let count = self.streams.values.count { $0.dispatcher == dispatcher }
        guard count < Self.streamsMax else { return [.reply(ticket, .noStream(.count))] }
        self.streams[ticket] = Stream(dispatcher: dispatcher)
        self.order.append(ticket)
        return [.reply(ticket, .opened(.enrolled))] + self.tellStreams(now: now)
    }

    mutating func told(_ ticket: SharingCore.Ticket, now: Now) -> [SharingCore.Effect] {
        self.streams[ticket]?.isBusy = false
        return self.tellStreams(now: now)
    }

    mutating func streamClosed(_ ticket: SharingCore.Ticket) {
        self.streams[ticket] = nil
        self.order.removeAll { $0 == ticket }
    }

    mutating func tellStreams(now: Now) -> [SharingCore.Effect] {
        let isPoll = self.pollAt.map { now.monotonic >= $0 } ?? false
        if self.order.isEmpty {
            self.pollAt = nil
        } else if isPoll || self.pollAt == nil {
            self.pollAt = now.monotonic.advanced(by: EventStreams.pollInterval)
        }
        return self.order.compactMap { ticket in
            guard let stream = self.streams[ticket], !stream.isBusy, let board = self.boards[stream.dispatcher] else {
                return nil
            }
            let (events, number) = board.events(after: stream.told)
            guard !events.isEmpty || isPoll else { return nil }
            self.streams[ticket]?.told = number
            self.streams[ticket]?.isBusy = true
            return .tell(ticket, .incidents(events), isLast: false)
        }
    }
}
