/// All that there is to give to streams now.
struct Supply: Sendable, Hashable {
    /// The newest fix, while it may stand for the present.
    var fix: Fix?
    /// Whether the receiver does not know where the device is.
    var isUnavailable: Bool
    /// The configurations for which the device stands still, one bit each.
    var still: UInt8
    /// The approximate place; nil while nobody needs it.
    var place: Fix?

    /// What there is for a reader.
    func offer(_ service: ServiceTraits, _ reasons: UpdateDiagnostics, isPrecise: Bool) -> UpdateStream.Offer {
        if !reasons.isEmpty { return .reasons(reasons) }
        switch service.feed {
        case .positions: return isPrecise ? self.position(service) : self.approximatePosition
        }
    }

    private func position(_ service: ServiceTraits) -> UpdateStream.Offer {
        if self.isUnavailable { return .reasons(.locationUnavailable) }
        guard let fix = self.fix else { return .nothing }
        if let configuration = service.pausing, self.still & 1 << configuration.rawValue != 0 { return .still(fix) }
        return .measured(.fix(fix))
    }

    private var approximatePosition: UpdateStream.Offer {
        if let place { return .approximate(place) }
        return self.isUnavailable ? .reasons(.locationUnavailable) : .nothing
    }
}
