public import Foundation

/// An object whose direction a heading describes.
///
/// Set it as ``CLLocationManager/headingBody``. The protocol has no requirements.
public protocol CLBodyIdentifiable: NSObjectProtocol {}
