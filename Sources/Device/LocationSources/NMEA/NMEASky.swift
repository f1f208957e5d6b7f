/// The satellites in a receiver's sentences.
struct NMEASky: Sendable {
    /// The number of satellites of each talker: a receiver of several constellations uses a talker for each.
    private var heard: [(talker: UInt16, count: Int)] = []
    private(set) var view = SkyView()

    /// The maximum number of talkers that are counted: there are eleven of satellite receivers.
    static let talkersMax = 11

    /// Reads a sentence.
    mutating func sentenceCame(_ sentence: NMEASentence) {
        switch sentence.kind {
        case .gsv: self.satellitesCame(sentence)
        case .gga, .gns:
            self.view.used = sentence.count(7) ?? self.view.used
            self.view.hdop = (try? sentence.number(8, in: 0...1000)).flatMap { $0 }
                .flatMap { AccuracyModel.isKnown(dilution: $0) ? $0 : nil }
        case .rmc, .gll, .gsa, .gst, .vtg, .zda, .hdt, .hdm, .hdg, .pubx00, .pgrme: break
        }
    }

    /// The first sentence of a group contains the total number.
    private mutating func satellitesCame(_ sentence: NMEASentence) {
        guard sentence.count(2) == 1, let count = sentence.count(3) else { return }
        if let index = self.heard.firstIndex(where: { $0.talker == sentence.letters }) {
            self.heard[index].count = count
        } else if self.heard.count < Self.talkersMax {
            self.heard.append((sentence.letters, count))
        }
        self.view.seen = self.heard.reduce(0) { $0 + $1.count }
    }
}
