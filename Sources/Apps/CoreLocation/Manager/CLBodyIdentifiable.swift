public import Foundation

/// Something with a body that a heading can be of.
public protocol CLBodyIdentifiable: NSObjectProtocol {}
