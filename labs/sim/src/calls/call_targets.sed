# Lists, from the assembly of a submission's file, what its code may call through a pointer:
#     LC_ALL=C sed -n -E -f call_targets.sed FILE.s
# They are its own functions, and those of others whose address its source takes by name. A name with
# an offset is never the address of a function. Parts that g++ splits off are only jumped to directly.
/^\t\.type\t.*\.(cold|part|isra|constprop)/d
s/^\t\.type\t(.+), ?@function$/\t.quad\t\1/p
s/^\t\.quad\t([A-Za-z_$"][^-+@ ]*)$/\t.quad\t\1/p
s/^.*[ \t,*]([A-Za-z_$"][^-+@ ,*]*)@GOTPCREL\(%rip\).*$/\t.quad\t\1/p
