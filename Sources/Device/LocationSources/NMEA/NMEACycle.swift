/// The order and the pace of a receiver's sentences, determined from the epochs so far.
///
/// Receivers repeat their cycle, so an epoch is complete with the sentence that ended the two epochs before it. The
/// allowed pause within an epoch is a part of the receiver's interval: at 4,800 baud a sentence takes up to 170 ms, and
/// a gateway that forwards whole lines pauses as long.
struct NMEACycle: Sendable {
    /// The end of an epoch: the sentence type, and its number among those of its type.
    ///
    /// GSA comes once for each constellation.
    private struct End: Sendable, Equatable {
        let kind: NMEASentence.Kind
        let ordinal: Int
    }

    /// The end of the last epochs, and how many epochs in a row had it.
    private var last: (end: End, count: Int)?
    /// The newest sentence of the current epoch.
    private var latest: End?
    /// The types in the current epoch, for their ordinals.
    private var repeated: (kind: NMEASentence.Kind, count: Int)?
    private var lastTime: Int?
    /// The milliseconds from one epoch to the next; nil until two were seen.
    private var interval: Int?

    /// Whether the newest sentence ends its epoch, as in the last two epochs.
    var isEnd: Bool {
        guard let last, let latest = self.latest else { return false }
        return last.count >= 2 && last.end == latest
    }

    /// The silence after which the current epoch is reported although it may be incomplete: two fifths of the interval.
    ///
    /// A tenth of a second while the interval is unknown: a fix that is reported too early is amended, a late one stays late.
    var quiet: Duration {
        self.interval.map { .milliseconds(min(max($0 * 2 / 5, 20), 1000)) } ?? .milliseconds(100)
    }

    /// Records a sentence of the current epoch.
    mutating func sentenceCame(_ kind: NMEASentence.Kind) {
        let count = self.repeated?.kind == kind ? (self.repeated?.count ?? 0) + 1 : 1
        self.repeated = (kind, count)
        self.latest = End(kind: kind, ordinal: count)
    }

    /// Records that a sentence of another epoch arrived.
    mutating func epochEnded(timeOfDay: Int?) {
        if let latest {
            self.last = (latest, self.last?.end == latest ? (self.last?.count ?? 0) + 1 : 1)
        }
        self.latest = nil
        self.repeated = nil
        if let timeOfDay, let lastTime, timeOfDay > lastTime, timeOfDay - lastTime <= 10_000 {
            self.interval = timeOfDay - lastTime
        }
        self.lastTime = timeOfDay ?? self.lastTime
    }
}
