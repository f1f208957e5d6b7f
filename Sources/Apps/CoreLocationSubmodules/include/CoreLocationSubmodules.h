// Declares nothing, but a module needs a header (module.modulemap).
