/// The permission of an app, as locationd tells it and as far as GeoClue has words for it.
package enum Permission: Sendable, Hashable {
    case undecided
    /// A person, or the device's owner, says no.
    case denied
    case off
    /// It may know where the device is, exactly or roughly.
    case granted
}
