// A macro of Swift Testing finds the test's line that uses the device, also in files that import only XCTest.
@_exported public import Testing
