// Runs first, even in old browsers: removes the key from the address bar, and so from the session's history.
var keptFragment = location.hash.slice(1);
if (keptFragment) history.replaceState(null, '', location.pathname);
