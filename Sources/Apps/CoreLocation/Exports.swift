// Apple's CoreLocation brings both with it, and code relies on it (ADR 0016 says why URLSession does not come along).
@_exported public import Foundation
@_exported public import Observation
