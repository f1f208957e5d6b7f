internal import Foundation
internal import WhereaboutsCVirtualTime

/// Called for blocks that code on a pumping thread gives to Dispatch; the group, if there is one, is left afterwards.
@_cdecl("whereabouts_virtual_time_take_block")
func takeBlock(
    _ block: UnsafeMutableRawPointer,
    _ group: UnsafeMutableRawPointer?,
    _ isMain: Int32,
    _ delay: Int64
) {
    let work = (UInt(bitPattern: block), UInt(bitPattern: group))
    Task.detached {
        if delay > 0 { try? await Task.sleep(nanoseconds: UInt64(delay)) }
        if isMain != 0 {
            await MainActor.run { runBlock(work) }
        } else {
            runBlock(work)
        }
    }
}

private func runBlock(_ work: (block: UInt, group: UInt)) {
    unsafe cvirtualtime_run_block(
        UnsafeMutableRawPointer(bitPattern: work.block),
        UnsafeMutableRawPointer(bitPattern: work.group)
    )
}

/// Called for all bytes that code on a pumping thread writes to its standard output or error.
@_cdecl("whereabouts_virtual_time_wrote")
func wroteInVirtualTime(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int64) {
    unsafe Kernel.current?.wrote(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
}

/// Called for a misuse by code on a pumping thread.
@_cdecl("whereabouts_virtual_time_misused")
func misusedVirtualTime(_ misuse: Int32) {
    if let misuse = Misuse(rawValue: misuse) { Kernel.current?.did(misuse) }
}

/// Called when the program exits on a thread that pumps: an app under test called `exit`, which ends all tests.
@_cdecl("whereabouts_virtual_time_exiting")
func exitingInVirtualTime() {
    // An app in a process of its own ends nothing but that.
    if Kernel.current?.owner is SeparateApp { return }
    let host = Kernel.current?.owner as? DeviceHost
    let name = host?.currentProcess?.name ?? "code on a virtual device"
    let line =
        "\(name) called exit, which ends the process of the tests; an app under test returns from main, or throws\n"
    FileHandle.standardError.write(Data(line.utf8))
}
