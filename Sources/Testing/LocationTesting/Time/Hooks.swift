internal import Foundation
internal import WhereaboutsCVirtualTime

/// Called for blocks that code on a device's thread gives to Dispatch; the group, if any, is left afterwards.
@_cdecl("whereabouts_virtual_time_take_block")
func takeBlock(
    _ block: UnsafeMutableRawPointer,
    _ queue: UnsafeMutableRawPointer,
    _ group: UnsafeMutableRawPointer?,
    _ isMain: Int32,
    _ delay: Int64
) {
    let work = DispatchedWork(
        block: UInt(bitPattern: block),
        queue: UInt(bitPattern: queue),
        group: UInt(bitPattern: group)
    )
    Task.detached {
        if delay > 0 { try? await Task.sleep(nanoseconds: UInt64(delay)) }
        if isMain != 0 {
            await MainActor.run { work.run() }
        } else {
            work.run()
        }
    }
}

/// A block, its queue and its group, as Dispatch's C interface passes them.
private struct DispatchedWork: Sendable {
    let block: UInt
    let queue: UInt
    let group: UInt

    func run() {
        unsafe cvirtualtime_run_block(
            UnsafeMutableRawPointer(bitPattern: self.block),
            UnsafeMutableRawPointer(bitPattern: self.queue),
            UnsafeMutableRawPointer(bitPattern: self.group)
        )
    }
}

/// Called for all bytes that code on a device's thread writes to its standard output or error.
@_cdecl("whereabouts_virtual_time_wrote")
func wroteInVirtualTime(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int64) {
    unsafe Kernel.current?.wrote(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
}

/// Called for a misuse by code on a device's thread.
@_cdecl("whereabouts_virtual_time_misused")
func misusedVirtualTime(_ misuse: Int32) {
    if let misuse = Misuse(rawValue: misuse) { Kernel.current?.did(misuse) }
}

/// Called when the program exits on a device's thread: an app under test called `exit`, which ends all tests.
@_cdecl("whereabouts_virtual_time_exiting")
func exitingInVirtualTime() {
    // An app in a separate process ends only that process.
    if Kernel.current?.owner is SeparateApp { return }
    let host = DeviceHost.current
    let name = host?.processes.current?.name ?? "code on a virtual device"
    let line =
        "\(name) called exit, which ends the process of the tests; an app under test returns from main, or throws\n"
    FileHandle.standardError.write(Data(line.utf8))
}
