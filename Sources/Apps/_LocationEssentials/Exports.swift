// Since Xcode 26 some of Apple's declarations lie in a module of this name, and its fix-it inserts `import _LocationEssentials`.
@_exported public import CoreLocation
