/// Chooses the instrument whose positions are used, on a line with several instruments.
///
/// Chart plotters and multiplexers repeat a receiver's positions, later and with their own talker: used together, the
/// positions would jump back and forth. A satellite receiver is preferred to all other instruments; among those, the
/// first one is used until it is silent.
struct TalkerChoice: Sendable {
    private var chosen: NMEASentence.Talker?
    /// The number of other talkers' sentences since the chosen one's last.
    private var others = 0

    /// The sentences of other talkers after which the chosen one counts as gone: about ten seconds of a busy line.
    static let patience = 60

    /// Records the talker of a sentence.
    ///
    /// - Returns: whether the sentence is used.
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
