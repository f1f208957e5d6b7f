// The smallest Swift process: the least cost of starting any program.
