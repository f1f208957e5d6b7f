// Runs before anything else, also in old browsers: takes the key out of the address bar, and so out of the session's history.
var keptFragment = location.hash.slice(1);
if (keptFragment) history.replaceState(null, '', location.pathname);
