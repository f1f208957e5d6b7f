internal import Foundation
internal import Glibc

/// Feeds inputs to a decoder, one after the other, in a process that an input may end.
enum Fuzzer {
    /// The memory that the decoder may allocate, in bytes: a thousand times the longest input, and room for the stacks
    /// and heaps of a few threads.
    private static let memoryMax: UInt = 2 << 30

    enum Extent {
        case rounds(Int)
        case time(Duration)
    }

    /// Feeds inputs until one fails, which is then in the file.
    ///
    /// - Parameters:
    ///   - decoder: who reads them.
    ///   - seed: what the inputs follow from.
    ///   - extent: how many, or for how long.
    ///   - path: the file that holds the input under way, for anyone who looks for it once this process is dead.
    ///   - patience: the processor time one input may take in seconds; none takes a hundredth of it. A waiting input has thirty times as long.
    /// - Returns: how many there were.
    /// - Throws: ``Finding``, or that the file cannot be written.
    static func run(
        _ decoder: some FuzzTarget,
        seed: UInt64,
        _ extent: Extent,
        case path: String,
        patience: UInt32 = 20
    ) throws -> Int {
        self.limitMemory()
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        var mutator = Mutator(seeds: decoder.seeds, words: decoder.words, seed: seed)
        let begun = ContinuousClock.now
        var round = 0
        while self.goesOn(extent, round, since: begun) {
            defer { round += 1 }
            let made = mutator.next()
            let bytes = round % 4 == 0 ? made : decoder.mended(made)
            let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
            guard written == bytes.count, ftruncate(file, off_t(bytes.count)) == 0 else { throw Unwritable() }
            self.wait(patience)
            _ = try decoder.check(bytes)
        }
        self.wait(0)
        return round
    }

    /// Makes the kernel kill the process after that many seconds of processor time, or thirty times as many of real
    /// time; 0: never.
    ///
    /// On a busy machine, a good input may wait for a processor longer than a bad one runs.
    private static func wait(_ seconds: UInt32) {
        var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: Int(seconds), tv_usec: 0))
        unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
        alarm(30 * seconds)
    }

    private static func goesOn(_ extent: Extent, _ round: Int, since begun: ContinuousClock.Instant) -> Bool {
        switch extent {
        case .rounds(let count): round < count
        // The clock is read rarely, because most inputs take less time than reading it.
        case .time(let span): !round.isMultiple(of: 64) || begun.duration(to: .now) < span
        }
    }

    private struct Unwritable: Error {}

    private static func limitMemory() {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first
        let used = pages.flatMap { UInt($0) }.map { $0 * UInt(sysconf(Int32(_SC_PAGESIZE))) } ?? 0
        var limit = rlimit(rlim_cur: used + self.memoryMax, rlim_max: used + self.memoryMax)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
}
