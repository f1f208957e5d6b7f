package import WhereaboutsVocabulary

/// One request in the store.
package struct RequestRecord: Sendable, Hashable {
    package let request: Signed<Request>
    package var life: RequestLife
    /// The signed answer, once there is one.
    package var answer: [UInt8]?
    /// The device that may have been notified of the request.
    package var device: ToldDevice

    /// Whether the device that may have been notified of the request is no longer the person's answering device.
    package var isAstray: Bool { self.device != .answering }

    /// The person whose device must answer.
    package var sharer: PublicIdentity { self.request.value.grant.value.sharer }

    /// The time by which the request is deleted; an occurrence of a schedule stays stored for its requester.
    package var keptUntil: WallTime {
        self.request.value.occurrence == 0 ? self.life.expires : self.life.expires.advanced(by: ScheduleRecord.kept)
    }

    package init(request: Signed<Request>, life: RequestLife, answer: [UInt8]?, device: ToldDevice = .answering) {
        self.request = request
        self.life = life
        self.answer = answer
        self.device = device
    }
}
