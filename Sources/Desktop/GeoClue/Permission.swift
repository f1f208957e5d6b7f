/// The permission of an app in locationd, as far as GeoClue can express it.
package enum Permission: Sendable, Hashable {
    case undecided
    /// A person or the device's owner denied access.
    case denied
    case off
    /// The app may know the position, precisely or approximately.
    case granted
}
