internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources

extension Update.Element {
    /// Converts a measurement of a source's receiver.
    init(_ source: SourceMeasurement, receiver: UInt8) {
        switch source {
        case .fix(let fix): self = .fix(Fix(fix, receiver: receiver))
        case .heading(let heading): self = .heading(Heading(heading))
        }
    }
}
