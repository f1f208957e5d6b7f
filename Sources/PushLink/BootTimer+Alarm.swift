internal import BootClock
internal import Connecting

extension BootTimer: Alarm {}
