package import WhereaboutsVocabulary

/// The occurrences of a schedule.
///
/// Occurrences have no signature: an occurrence is computed from its number and the signed request.
extension Request {
    /// Whether the request starts a live share or a schedule after its answer.
    package var begins: Bool { self.followMinutes != nil || self.repetition != nil }

    /// Returns the occurrence with this number: the same request, with its own ID and times.
    package func occurrence(_ number: UInt16) -> Request {
        var request = self
        request.occurrence = self.repetition == nil ? 0 : number
        return request
    }

    /// When the request's schedule ends; nil for a request without one.
    package var scheduleEnd: WallTime? {
        self.repetition.map { min($0.until, self.grant.value.notAfter) }
    }

    /// Returns the number of the last occurrence that had begun by a time; nil for a request without a schedule, and before
    /// occurrence 1.
    package func lastOccurrence(by time: WallTime) -> UInt16? {
        guard let repetition, let end = self.scheduleEnd else { return nil }
        // The schedule has no occurrence at the moment of its end.
        let last = min(time.milliseconds, end.milliseconds - 1)
        let every = Int64(repetition.everyMinutes) * 60_000
        let (elapsed, isBeyond) = last.subtractingReportingOverflow(self.firstIssued.milliseconds)
        guard !isBeyond, elapsed >= every else { return nil }
        return UInt16(clamping: elapsed / every)
    }

    /// Returns when the occurrence with a number begins; nil when there is none.
    package func beginning(ofOccurrence number: UInt16) -> WallTime? {
        guard let end = self.scheduleEnd else { return nil }
        let beginning = self.occurrence(number).issued
        return beginning < end ? beginning : nil
    }

    /// The reason why the schedule ends, if any; checked before each occurrence.
    package func scheduleFault(isRevoked: Bool, now: WallTime) -> FollowingEnd.Reason? {
        guard let end = self.scheduleEnd, now < end else { return .time }
        return isRevoked ? .revoked : nil
    }

    /// The rule that the request's schedule breaks, if any.
    var repetitionRefusal: Refusal? {
        guard let repetition = self.repetition else { return nil }
        let grant = self.grant.value
        if grant.asksPerson { return .repetitionAsksPerson }
        if repetition.everyMinutes < Repetition.everyMinutesMin || repetition.every < .seconds(Int64(grant.intervalMin))
        {
            return .repetitionTooOften
        }
        if self.firstIssued.duration(to: repetition.until) > Repetition.lifetimeMax { return .repetitionTooLong }
        guard self.occurrence > 0 else { return nil }
        return self.beginning(ofOccurrence: self.occurrence) == nil ? .repetitionOver : nil
    }
}

extension Signed where Value == Request {
    /// Returns the occurrence with this number; the signature is that of the first request.
    package func occurrence(_ number: UInt16) -> Signed<Request> {
        Signed(value: self.value.occurrence(number), signature: self.signature)
    }
}
