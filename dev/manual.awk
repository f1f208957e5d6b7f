# Makes a page of swift-argument-parser's maker one that man shows as the help does: its empty lines and its indented ones are text
# to mdoc, which fills lines; and a name with spaces is no name to whatis.
/^\.Nm "/ { gsub(/"/, ""); name = words = substr($0, 5); gsub(/ /, "-", name); print ".Nm " name; next }
/^\.Nm$/ && words { print ".Nm \"" words "\""; next }
/^\.Nd "/ { gsub(/^\.Nd "|"$/, ""); print ".Nd " $0; next }
/^\.Dt / { gsub(/\./, "-", $2); print $1, $2, $3; next }
literal && !/^ / { print ".Ed"; literal = 0 }
/^$/ { print ".Pp"; next }
/^ / && !literal { print ".Bd -literal -compact"; literal = 1 }
# A dot or a quote at the beginning is an order.
/^ +[.']/ { sub(/[.']/, "\\\\\\&&") }
{ print }
END { if (literal) print ".Ed" }
