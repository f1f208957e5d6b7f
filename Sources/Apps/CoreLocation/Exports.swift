// Apple's CoreLocation re-exports both modules, and apps rely on that (ADR 0016 explains why URLSession is not included).
@_exported public import Foundation
@_exported public import Observation
