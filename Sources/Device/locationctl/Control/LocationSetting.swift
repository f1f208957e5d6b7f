internal import ArgumentParser
internal import WhereaboutsLocationWireMessages

/// The values of an app's location permission in `locationctl`.
enum LocationSetting: String, ExpressibleByArgument, CaseIterable {
    case never
    /// The app may request authorization again.
    case ask
    case whileUsing = "while-using"
    case always

    var wire: WireAppSettings.Location {
        switch self {
        case .never: .never
        case .ask: .askNextTime
        case .whileUsing: .whileUsing
        case .always: .always
        }
    }
}
