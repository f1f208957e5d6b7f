internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A sharer with devices, a friend, and an adversary who controls the server, the push service and the network.
///
/// The devices and the friend use the real machines: ``Receipt``, ``Answering``, ``GivenAnswers``, ``GrantUses`` and
/// ``Asking``. Cryptography is perfect and symbolic. A signed message exists only if its signer made it, and a sealed message opens
/// only with its key and `info`. The adversary reads, keeps, repeats, reorders, drops and composes messages in every way that
/// its keys allow.
struct SharingWorld: ExploredWorld {
    let setting: Setting
    /// The index of the time that the clock shows.
    var clock = 0
    var devices: [ModelDevice]
    /// The friend's requests; the adversary has a copy of each.
    var asked: [Signed<Request>] = []
    /// The requests that the adversary composed and handed over; of a schedule, the first one.
    var composed: Set<RequestDigest> = []
    /// The answers of the sharer's devices, which the adversary has.
    var answers: Set<SealedTerm> = []
    /// The positions that left a device.
    var disclosed: Set<Disclosure> = []
    /// The positions that the friend believes.
    var believed: Set<Belief> = []
    /// The requests to which the sharer consented.
    var allowed: Set<RequestDigest> = []
    /// The number of positions measured so far.
    var measured = 0

    init(_ setting: Setting) {
        self.setting = setting
        self.devices = (0..<setting.devices).map { _ in ModelDevice() }
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.clock == rhs.clock && lhs.measured == rhs.measured && lhs.asked == rhs.asked && lhs.devices == rhs.devices
            && lhs.answers == rhs.answers && lhs.disclosed == rhs.disclosed && lhs.believed == rhs.believed
            && lhs.allowed == rhs.allowed && lhs.composed == rhs.composed
    }

    func hash(into hasher: inout Hasher) {
        // Part of the state is enough: it distinguishes most states, and the rest is slow to hash.
        hasher.combine(self.clock)
        hasher.combine(self.measured)
        hasher.combine(self.asked.count)
        hasher.combine(self.answers)
        hasher.combine(self.believed.count)
        hasher.combine(self.allowed)
        hasher.combine(self.composed)
        for device in self.devices { device.hash(into: &hasher) }
    }

    var now: Now { self.setting.now(self.clock) }

    var moves: [Move<SharingWorld>] {
        self.friendsMoves + self.devices.indices.flatMap(self.moves(ofDevice:)) + self.ticks
    }

    private var ticks: [Move<SharingWorld>] {
        guard self.clock + 1 < self.setting.times.count else { return [] }
        // Without deaths a process finds its position before its time is over.
        guard self.setting.crashes || !self.devices.contains(where: \.isMeasuring) else { return [] }
        var world = self
        world.clock += 1
        // A process lives for 25 s, and the times are further apart.
        for index in world.devices.indices { world.devices[index].processes = [] }
        return [Move(words: "the clock shows \(self.setting.times[world.clock]) s", world: world)]
    }
}
