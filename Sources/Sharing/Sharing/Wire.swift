package import WhereaboutsVocabulary

/// The JSON that the server answers with; clients send signed bytes.
package enum Wire {
    /// The answer to a request that was accepted.
    package struct Accepted: Codable, Sendable {
        /// The request's id.
        package let id: String

        package init(id: RequestID) {
            self.id = id.description
        }
    }

    /// The answer to any message that was not accepted.
    package struct Rejected: Codable, Sendable {
        /// The failure: the input, the rule, the remedy.
        package let error: String
        /// When to try again, in milliseconds since 1970; with status 429 only.
        package let until: Int64?
        /// The raw value of ``Refusal/unknownDevice``; absent for every other failure.
        package let rule: UInt8?

        package init(error: String, until: WallTime? = nil, rule: Refusal? = nil) {
            self.error = error
            self.until = until?.milliseconds
            self.rule = rule?.rawValue
        }
    }

    /// One event of a request.
    package struct State: Codable, Sendable, Hashable {
        /// The raw value of a ``RequestState/Kind``.
        package let kind: String
        /// Milliseconds since 1970.
        package let at: Int64
        /// A sentence for a person.
        package let reason: String
        /// The raw value of a ``Refusal``; absent if no rule decided.
        package let rule: UInt8?
        /// The signed answer, base64url; with the kind `answered` only.
        package let answer: String?

        package init(_ state: RequestState, answer: [UInt8]? = nil) {
            self.kind = state.kind.rawValue
            self.at = state.time.milliseconds
            self.reason = state.reason
            self.rule = state.rule?.rawValue
            self.answer = answer.map { Base64URL.text(of: $0) }
        }

        /// The state, or nil when this version does not know its kind.
        package var state: RequestState? {
            RequestState.Kind(rawValue: self.kind).map { kind in
                let time = WallTime(milliseconds: self.at)
                let rule = self.rule.flatMap(Refusal.init(rawValue:))
                return rule.map { RequestState(kind, at: time, rule: $0) }
                    ?? RequestState(kind, at: time, reason: self.reason)
            }
        }
    }

    /// The answer to a device's update.
    package struct UpdateTaken: Codable, Sendable {
        package let isWatched: Bool
        /// Why the live share ended; absent while it continues.
        package let ended: Ended?

        package init(isWatched: Bool, ended: Ended? = nil) {
            self.isWatched = isWatched
            self.ended = ended
        }
    }

    /// The end of a live share or schedule.
    package struct Ended: Codable, Sendable, Hashable {
        /// The number of the reason.
        package let reason: UInt8
        /// The signed end, base64url; absent when the server ended the live share itself.
        package let statement: String?

        package init(_ reason: FollowingEnd.Reason, statement: [UInt8]?) {
            self.reason = reason.rawValue
            self.statement = statement.map { Base64URL.text(of: $0) }
        }
    }

    /// One event of a live share: an update or the end.
    package struct Followed: Codable, Sendable, Hashable {
        /// The signed update, base64url.
        package let update: String?
        /// The end, after which the stream ends.
        package let ended: Ended?

        /// Creates the event of an update.
        package init(update: [UInt8]) {
            self.update = Base64URL.text(of: update)
            self.ended = nil
        }

        /// Creates the event of the end.
        package init(ended: Ended) {
            self.update = nil
            self.ended = ended
        }
    }

    /// The state of one occurrence of a schedule.
    package struct Occurrence: Codable, Sendable, Hashable {
        /// The number, from 1.
        package let occurrence: UInt16
        /// The last state, with the answer if there is one.
        package let state: State

        package init(_ occurrence: UInt16, _ state: State) {
            self.occurrence = occurrence
            self.state = state
        }
    }

    /// The stored occurrences of a schedule.
    package struct Occurrences: Codable, Sendable {
        /// The occurrences in order; a reply with fewer than the maximum is the last one.
        package let occurrences: [Occurrence]
        /// When the next occurrence begins, in milliseconds since 1970; absent without one.
        package let next: Int64?
        /// Why the schedule ended; absent while it continues.
        package let ended: Ended?

        package init(occurrences: [Occurrence], next: WallTime?, ended: Ended?) {
            self.occurrences = occurrences
            self.next = next?.milliseconds
            self.ended = ended
        }
    }

    /// One device of a sharer.
    package struct Device: Codable, Sendable, Hashable {
        /// The identifier in hexadecimal digits.
        package let id: String
        /// The sealed name, base64url.
        package let name: String
        /// When the person chose this device, in milliseconds since 1970.
        package let chosen: Int64
        /// When the device last registered, in milliseconds since 1970.
        package let issued: Int64
        package let answers: Bool
        /// Whether the device accepts no pushes.
        package let isPaused: Bool

        package init(_ registration: Registration, answers: Bool) {
            self.id = registration.device.id.description
            self.name = Base64URL.text(of: registration.device.sealedName)
            self.chosen = registration.device.chosen.milliseconds
            self.issued = registration.issued.milliseconds
            self.answers = answers
            self.isPaused = registration.token.isEmpty
        }
    }

    /// The devices of a sharer.
    package struct Devices: Codable, Sendable {
        /// The devices, ordered by identifier.
        package let devices: [Device]

        package init(_ all: [Registration], answering: Registration?) {
            self.devices = all.map { Device($0, answers: $0 == answering) }
        }
    }

    /// The reply to the progress of a request that has ended.
    package struct Over: Codable, Sendable {
        /// The request's last state: the raw value of a ``RequestState/Kind``.
        package let state: String

        package init(state: RequestState.Kind) {
            self.state = state.rawValue
        }
    }

    /// The answer to a device's answer.
    package struct Delivery: Codable, Sendable {
        /// The request's state: the raw value of a ``RequestState/Kind``.
        package let state: String
        /// The other requests that wait for this device, signed, base64url.
        package let pending: [String]

        package init(state: RequestState.Kind, pending: [[UInt8]]) {
            self.state = state.rawValue
            self.pending = pending.map { Base64URL.text(of: $0) }
        }
    }
}
