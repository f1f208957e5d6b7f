package import APNS
package import LocationEngine

extension Push.Priority {
    /// The device's name of a provider's priority, which has Apple's number.
    package init(_ priority: APNS.Priority) {
        self =
            switch priority {
            case .immediate: .immediate
            case .powerConsiderate: .considerate
            case .powerFirst: .passive
            }
    }

    /// The provider's priority.
    package var apns: APNS.Priority {
        switch self {
        case .immediate: .immediate
        case .considerate: .powerConsiderate
        case .passive: .powerFirst
        }
    }
}
