// A minimal client of gpsd's JSON protocol: it finds the time of each position and records
// when it came. Arguments: the port. A position in the southern hemisphere ends the run: then the client writes its record.
import Foundation

func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The text after a key in a line of JSON that ends with a zero; the keys occur in no nested object.
func value(_ key: StaticString, in line: UnsafePointer<CChar>) -> UnsafePointer<CChar>? {
    let name = UnsafeRawPointer(key.utf8Start).assumingMemoryBound(to: CChar.self)
    return strstr(line, name).map { UnsafePointer($0 + key.utf8CodeUnitCount) }
}

guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
    fatalError("the argument is gpsd's port")
}
let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
var address = sockaddr_in()
address.sin_family = sa_family_t(AF_INET)
address.sin_port = port.bigEndian
address.sin_addr.s_addr = inet_addr("127.0.0.1")
let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
}
guard connected == 0 else { fatalError("cannot connect to gpsd") }
let watch = "?WATCH={\"enable\":true,\"json\":true}\n"
_ = watch.withCString { write(descriptor, $0, strlen($0)) }

/// `2026-11-21T14:05:06.789Z` as milliseconds since midnight, which is enough for a run of less than a day.
func milliseconds(_ text: UnsafePointer<CChar>) -> Int64 {
    func digits(_ range: Range<Int>) -> Int64 { range.reduce(0) { $0 * 10 + Int64(text[$1]) - 48 } }
    return ((digits(11..<13) * 60 + digits(14..<16)) * 60 + digits(17..<19)) * 1000 + digits(20..<23)
}

var seen: [(Int64, Int64)] = []
seen.reserveCapacity(100_000)
var cpu: Int64 = 0
var buffer = [UInt8](repeating: 0, count: 65_536)
var filled = 0
reading: while true {
    let count = buffer.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
    }
    guard count > 0 else { break }
    filled += count
    var start = 0
    while let end = buffer[start..<filled].firstIndex(of: 10) {
        buffer[end] = 0
        let isLast = buffer.withUnsafeBytes { bytes -> Bool in
            guard let line = bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self),
                value("\"class\":\"TPV\"", in: line) != nil, let time = value("\"time\":\"", in: line),
                let latitude = value("\"lat\":", in: line)
            else { return false }
            if seen.isEmpty {
                cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
                FileHandle.standardOutput.write(Data("ready\n".utf8))
            }
            seen.append((milliseconds(time), nanoseconds(CLOCK_MONOTONIC)))
            return latitude[0] == CChar(bitPattern: UInt8(ascii: "-"))
        }
        if isLast { break reading }
        start = end + 1
    }
    buffer.replaceSubrange(0..<(filled - start), with: buffer[start..<filled])
    filled -= start
}
cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
let lines = (["\(cpu)"] + seen.map { "\($0.0) \($0.1)" }).joined(separator: "\n")
FileHandle.standardOutput.write(Data((lines + "\n").utf8))
