extension [Double] {
    /// The value below which this share of the values lies (nearest rank).
    func quantile(_ share: Double) -> Double {
        let sorted = self.sorted()
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[Swift.min(Swift.max(rank, 1), sorted.count) - 1]
    }
}
