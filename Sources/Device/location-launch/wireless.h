// Denies this process, and all it starts, the ioctls of the wireless extensions: the kernel tells every user the Wi-Fi
// stations nearby by them, which locate the device.
//
// Needs no_new_privs. Returns -1 with errno if it fails; a kernel without system call filters is not a failure.
int deny_wireless(void);
