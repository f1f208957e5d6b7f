// An app that reads live updates and records when each came; at the end of the run it writes its record.
import CoreLocation
import Foundation

@main
struct UpdatesClient {
    static func main() async throws {
        var seen: [(time: Int64, arrival: Int64)] = []
        seen.reserveCapacity(100_000)
        var cpu: Int64 = 0
        for try await update in CLLocationUpdate.liveUpdates() {
            guard let location = update.location else { continue }
            let arrival = nanoseconds(CLOCK_MONOTONIC)
            if seen.isEmpty {
                cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
                report("ready")
            }
            let time = Int64((location.timestamp.timeIntervalSince1970 * 1000).rounded())
            seen.append((time, arrival))
            // The run ends in the southern hemisphere.
            if location.coordinate.latitude < 0 { break }
        }
        cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
        report((["\(cpu)"] + seen.map { "\($0.time) \($0.arrival)" }).joined(separator: "\n"))
    }

    static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static func report(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
