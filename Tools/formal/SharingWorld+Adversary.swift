internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The messages that the adversary can compose with its own keys and all messages that it has read.
extension SharingWorld {
    /// The requests that the adversary can deliver to a device: the friend's, and its own.
    var deliverable: [Signed<Request>] {
        let isFull = self.composed.count >= self.setting.composedMax
        let own = self.composedRequests.filter { !isFull || self.composed.contains($0.value.modelDigest) }
        return (self.asked + own).flatMap { self.occurrences(of: $0) }
    }

    /// The world in which a request was handed over.
    func handingOver(_ request: Signed<Request>) -> SharingWorld {
        let first = request.occurrence(0).value.modelDigest
        guard !self.asked.contains(where: { $0.value.modelDigest == first }) else { return self }
        var world = self
        world.composed.insert(first)
        return world
    }

    /// The positions that the adversary can read: the positions in answers to its own key.
    var read: [SharedFix] {
        self.answers.filter { $0.key == Names.key(Names.adversarysKey) }.compactMap(\.fix)
    }

    /// The adversary's own answers, with an invented position.
    func composedAnswers(to request: Signed<Request>) -> [SealedTerm] {
        guard let fix = try? SharedFix(latitude: -80, longitude: 0, horizontalAccuracy: 5, time: self.now.wall) else {
            return []
        }
        // Anyone can seal to the request's key, and the adversary knows the request.
        let signers = [Names.adversary] + (self.setting.missing == .answersAreSigned ? [Names.sharer] : [])
        return signers.map { signer in
            SealedTerm(
                signer: signer,
                request: request.value.id,
                key: request.value.publicKey,
                info: request.value.modelDigest,
                content: .fix(fix)
            )
        }
    }

    private var composedRequests: [Signed<Request>] {
        var grants: [Signed<Grant>] = []
        if self.setting.isAdversaryGranted {
            grants.append(self.setting.grant(Names.adversarysGrant, to: Names.adversary))
        }
        if self.setting.missing == .grantsAreSigned {
            grants.append(self.setting.grant(Names.forgedGrant, to: Names.adversary))
        }
        if self.setting.missing == .requestsAreSigned, !self.asked.isEmpty {
            grants.append(self.setting.grant(Names.friendsGrant, to: Names.friend))
        }
        // The adversary can also use the IDs and keys of others, which it has read.
        let ids = self.setting.adversarysIDs.map { RequestID(high: $0, low: 0) } + self.asked.map(\.value.firstID)
        let keys = [Names.adversarysKey] + self.asked.compactMap(\.value.publicKey.first)
        let times = self.setting.adversarysTimes.filter { $0 <= self.setting.times[self.clock] }
        let precisions = self.setting.precision == .full ? [Precision.full] : [.reduced, .full]
        return grants.flatMap { grant in
            ids.flatMap { id in
                keys.flatMap { key in
                    times.flatMap { seconds in
                        precisions.map { precision in
                            self.setting.request(
                                id,
                                under: grant,
                                precision: precision,
                                key: key,
                                issued: Names.noon.advanced(by: .seconds(seconds))
                            )
                        }
                    }
                }
            }
        }
    }
}
