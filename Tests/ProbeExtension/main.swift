// The tests' location push service extension: does what the payload says, good or bad.
ProbeService.run { ProbeService() }
