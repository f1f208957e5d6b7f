package import WhereaboutsVocabulary

/// The answers that a device has given: at most one for each request, which is on disk before it is sent.
///
/// If the device dies before the write, it has sent nothing, and answers when it receives the request again. If it dies after
/// the write, it posts the same bytes again. So a server that delivers a request twice gets one position.
///
/// An answer is kept until its request has certainly expired; its bytes only until the server has them. The number of answers
/// is limited for each grant and in all. At a limit, the device stops answering. If it forgot the oldest answers instead, a
/// flood of requests could make it answer a replayed request.
package struct GivenAnswers: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let request: RequestID
        package let digest: RequestDigest
        /// The grant of the answered request.
        package let grant: GrantID
        /// When the request was answered, by the device's clock, in whole milliseconds.
        package let time: WallTime
        /// The signed answer, until the server has it.
        package fileprivate(set) var undelivered: [UInt8]?

        package init(
            request: RequestID,
            digest: RequestDigest,
            grant: GrantID,
            time: WallTime,
            undelivered: [UInt8]?
        ) {
            self.request = request
            self.digest = digest
            self.grant = grant
            self.time = time.wholeMilliseconds
            self.undelivered = undelivered
        }
    }

    /// A signed answer that the server has not received.
    package struct Undelivered: Sendable, Hashable {
        package let request: RequestID
        package let digest: RequestDigest
        /// The grant of the answered request; once it is revoked, the answer is not sent.
        package let grant: GrantID
        /// The answer's bytes.
        package let answer: [UInt8]

        /// Creates an answer to deliver.
        package init(request: RequestID, digest: RequestDigest, grant: GrantID, answer: [UInt8]) {
            self.request = request
            self.digest = digest
            self.grant = grant
            self.answer = answer
        }
    }

    /// The maximum number of answers kept under one grant.
    ///
    /// Source: our choice; one answer a second, the least interval of a grant, gives 720 in the 12 minutes that answers are kept.
    package static let ofGrantMax = 1024
    /// The maximum number of answers kept.
    ///
    /// Source: our choice; room for eight people who ask each second, in a file of 600 kB.
    package static let countMax = 8192
    /// The maximum number of undelivered answers that are kept; beyond this, the oldest one is dropped and never delivered.
    ///
    /// Source: our choice; four times the number of requests that a server sends at once, in 100 kB.
    package static let undeliveredMax = 64

    /// The answers, in the order in which they were given.
    package private(set) var entries: [Entry]

    /// Restores stored answers.
    package init(restoring entries: [Entry] = []) {
        self.entries = entries
    }

    /// Adds a stored answer that is newer than the others.
    package mutating func restore(_ entry: Entry) { self.entries.append(entry) }

    /// The answers that the server has not received, oldest first.
    package var undelivered: [Undelivered] {
        self.entries.compactMap { entry in
            entry.undelivered.map {
                Undelivered(request: entry.request, digest: entry.digest, grant: entry.grant, answer: $0)
            }
        }
    }

    /// Actions returned by ``received(_:_:policy:now:)``.
    package enum OnReceived: Sendable, Hashable {
        case answer
        /// Post this stored answer again: the request was answered before, but the server has not confirmed the answer.
        case deliver([UInt8])
        /// Do not answer: the request was answered before, and the server has the answer.
        case replayed
        /// Do not answer: the grant's limit of stored answers is reached.
        case grantFull
        /// Do not answer: the limit of stored answers is reached.
        case full
    }

    /// Decides whether a received request is answered.
    ///
    /// A request with the ID of an answered one and other bytes is another request.
    package func received(
        _ request: Request,
        _ digest: RequestDigest,
        policy: SharingPolicy,
        now: WallTime
    ) -> OnReceived {
        if let known = self.entries.last(where: { $0.digest == digest }) {
            return known.undelivered.map { .deliver($0) } ?? .replayed
        }
        let grant = request.grant.value.id
        var (count, ofGrant) = (0, 0)
        for entry in self.entries where Self.isKept(entry, policy: policy, now: now) {
            count += 1
            ofGrant += entry.grant == grant ? 1 : 0
        }
        if ofGrant >= Self.ofGrantMax { return .grantFull }
        return count < Self.countMax ? .answer : .full
    }

    /// Records the signed answer to a request; with `answer` write it to disk, then post it; otherwise do not send it.
    package mutating func answered(
        _ request: Request,
        _ digest: RequestDigest,
        _ answer: [UInt8],
        policy: SharingPolicy,
        now: WallTime
    ) -> OnReceived {
        let action = self.received(request, digest, policy: policy, now: now)
        guard action == .answer else { return action }
        self.entries.removeAll { !Self.isKept($0, policy: policy, now: now) }
        self.entries.append(
            Entry(
                request: request.id,
                digest: digest,
                grant: request.grant.value.id,
                time: now,
                undelivered: answer
            )
        )
        if self.undelivered.count > Self.undeliveredMax,
            let oldest = self.entries.firstIndex(where: { $0.undelivered != nil })
        {
            self.entries[oldest].undelivered = nil
        }
        return .answer
    }

    /// Records that an answer need not be sent any more: the server stored or refused it.
    package mutating func delivered(_ digest: RequestDigest) {
        guard let index = self.entries.lastIndex(where: { $0.digest == digest }) else { return }
        self.entries[index].undelivered = nil
    }

    private static func isKept(_ entry: Entry, policy: SharingPolicy, now: WallTime) -> Bool {
        let kept = policy.lifetimeMax + policy.clockSkewMax
        // An entry further in the future is from before the clock was set back. It would be kept too long, so drop it.
        let age = entry.time.duration(to: now)
        return age <= kept && age >= .zero - kept
    }
}
