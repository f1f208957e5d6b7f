/// Chooses the instrument whose positions count on a line with several.
///
/// Chart plotters and multiplexers repeat a receiver's positions, later and with a talker of their own: taken together
/// they would go back and forth. A satellite receiver goes before all others; of those, the first one counts until it is
/// silent.
struct TalkerChoice: Sendable {
    private var chosen: NMEASentence.Talker?
    /// The number of other talkers' sentences since the chosen one's last.
    private var others = 0

    /// The sentences of other talkers after which the chosen one counts as gone: about ten seconds of a busy line.
    static let patience = 60

    /// Records the talker of a sentence.
    ///
    /// - Returns: whether the sentence counts.
    mutating func spoke(_ talker: NMEASentence.Talker) -> Bool {
        if talker == self.chosen {
            self.others = 0
            return true
        }
        self.others += 1
        guard self.chosen == nil || talker == .satellites || self.others > Self.patience else { return false }
        self.chosen = talker
        self.others = 0
        return true
    }
}
