package import WhereaboutsVocabulary

/// One request in the store.
package struct RequestRecord: Sendable, Hashable {
    package let request: Signed<Request>
    package var life: RequestLife
    /// The signed answer, once there is one.
    package var answer: [UInt8]?
    /// The device that may have been notified of it.
    package var device: ToldDevice

    /// Whether another device of the person answers now than the one that may have been notified of it.
    package var isAstray: Bool { self.device != .answering }

    /// The person whose device must answer.
    package var sharer: PublicIdentity { self.request.value.grant.value.sharer }

    /// When the request is deleted at the latest; the turn of a timer stays stored for its requester.
    package var keptUntil: WallTime {
        self.request.value.turn == 0 ? self.life.expires : self.life.expires.advanced(by: TimerRecord.kept)
    }

    package init(request: Signed<Request>, life: RequestLife, answer: [UInt8]?, device: ToldDevice = .answering) {
        self.request = request
        self.life = life
        self.answer = answer
        self.device = device
    }
}
