// Apple's CoreLocation re-exports Foundation, and code relies on it.
@_exported public import Foundation
