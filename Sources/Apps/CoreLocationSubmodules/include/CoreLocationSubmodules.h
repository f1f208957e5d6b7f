// Declares nothing: a module needs a header (module.modulemap).
