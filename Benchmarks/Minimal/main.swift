// The smallest process the language makes: what starting anything costs at least.
