/// The time of one device, in nanoseconds since its start; moved by its kernel only.
final class VirtualClock {
    private(set) var now: Int64 = 0
    /// Nanoseconds from 1970 to the start, for people and receivers.
    let epoch: Int64

    init(epoch: Int64) {
        self.epoch = epoch
    }

    func move(to instant: Int64) {
        self.now = instant
    }
}
