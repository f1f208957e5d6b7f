/// All targets, as dependencies of one: `dev/build` builds it.
enum Everything {}
