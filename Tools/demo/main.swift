internal import Foundation

// One location request from end to end, with the real programs, in a new directory.
guard CommandLine.arguments.count == 1 else {
    FileHandle.standardError.write(Data("usage: demo\nIt takes no options; it answers one location request.\n".utf8))
    exit(64)
}
do {
    let demo = try Demo()
    demo.endOnSignals()
    demo.endAfter(seconds: 110)
    exit(demo.run())
} catch {
    FileHandle.standardError.write(Data("demo: \(error)\n".utf8))
    exit(1)
}
