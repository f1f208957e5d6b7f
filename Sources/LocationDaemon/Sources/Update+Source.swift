internal import LocationEngine
internal import LocationSources

extension Update.Element {
    /// Takes over what a receiver measured.
    init(_ source: SourceMeasurement) {
        switch source {
        case .fix(let fix): self = .fix(Fix(fix))
        case .heading(let heading): self = .heading(Heading(heading))
        }
    }
}
