// The line of a test that uses the device is found by a macro of Swift Testing, also in files that import XCTest alone.
@_exported public import Testing
