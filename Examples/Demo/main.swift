internal import Foundation
internal import Rig

// One location request from end to end, with the real programs, in a directory of its own.
do {
    let demo = try Demo()
    demo.endOnSignals()
    demo.endAfter(seconds: 110)
    exit(demo.run())
} catch {
    FileHandle.standardError.write(Data("demo: \(error)\n".utf8))
    exit(1)
}
