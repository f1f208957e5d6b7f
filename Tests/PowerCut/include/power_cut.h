// The library is loaded with LD_PRELOAD; nothing links it.
