internal import WhereaboutsBootClock
internal import WhereaboutsConnecting

extension BootTimer: Alarm {}
