// Since Xcode 26, a module of this name has some of Apple's declarations, and Xcode's fix-it inserts `import _LocationEssentials`.
@_exported public import CoreLocation
