internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The properties of the sharing protocol: each is true in a state that breaks it.
extension SharingWorld {
    /// Whether the adversary reads a position to which the sharer gave it no grant.
    var leaks: Bool {
        let granted = self.disclosed.filter {
            $0.request.value.grant.value == self.setting.grant(Names.adversarysGrant, to: Names.adversary).value
                && self.setting.isAdversaryGranted
        }
        return self.read.contains { fix in !granted.contains { $0.fix == fix } }
    }

    /// Whether the friend believes a position that the sharer's device did not give in answer to that request.
    var deceives: Bool {
        self.believed.contains { belief in
            !self.disclosed.contains { $0.digest == belief.digest && $0.fix == belief.fix }
        }
    }

    /// Whether a position left under a grant that the sharer did not make, or for a request that its requester did not.
    var answersStrangers: Bool {
        self.disclosed.contains { disclosure in
            let request = disclosure.request.value
            if request.grant.value.requester == Names.friend {
                return !self.asked.contains {
                    $0.value.firstID == request.firstID && $0.value.publicKey == request.publicKey
                }
            }
            return !self.setting.isAdversaryGranted || request.grant.value.id.low != Names.adversarysGrant
        }
    }

    /// Whether one request, or one occurrence of a schedule, got two positions from one device.
    var answersTwice: Bool {
        self.disclosed.contains { one in self.disclosed.contains { $0.digest == one.digest && $0.fix != one.fix } }
    }

    /// Whether more positions left under a grant than the grant has uses.
    var exceedsUses: Bool { self.countUnderAGrant > Int(self.setting.usesMax ?? .max) }

    /// The maximum number of positions that left under one grant.
    private var countUnderAGrant: Int {
        let grants = self.disclosed.map(\.request.value.grant.value.id.low)
        return Set(grants).map { grant in grants.count { $0 == grant } }.max() ?? 0
    }

    /// Whether positions were measured under a grant faster than its interval allows, with a tolerance of 30 s.
    ///
    /// - Parameter late: the number of positions that may be measured later than their request was admitted.
    /// - Returns: whether some positions come sooner.
    func exceedsInterval(late: Int = 0) -> Bool {
        let interval = Duration.seconds(Int64(self.setting.intervalMin))
        return self.disclosed.contains { first in
            let times = self.disclosed.filter { $0.request.value.grant == first.request.value.grant }.map(\.fix.time)
            let spans = times.map { first.fix.time.duration(to: $0) }.filter { $0 >= .zero }
            return spans.contains { span in
                interval * (spans.count { $0 <= span } - 1 - late) > span + SharingPolicy().allowance
            }
        }
    }

    /// Whether a position was measured outside the time of its request or of its grant.
    var exceedsTime: Bool {
        self.disclosed.contains { disclosure in
            let (request, grant) = (disclosure.request.value, disclosure.request.value.grant.value)
            let isTimely = disclosure.fix.time < request.expires && disclosure.fix.time < grant.notAfter
            return !isTimely || disclosure.fix.time.advanced(by: SharingPolicy().clockSkewMax) < request.issued
        }
    }

    /// Whether a position is more exact than the grant allows.
    var exceedsPrecision: Bool {
        self.disclosed.contains {
            $0.request.value.grant.value.precision == .reduced && $0.fix.horizontalAccuracy < 5000
        }
    }

    /// Whether a position left without the sharer's consent to its request.
    var lacksConsent: Bool { self.disclosed.contains { !self.allowed.contains($0.digest) } }
}
