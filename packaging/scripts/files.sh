# Functions for files that scripts of the packages make and remove. Configuration and keys are never shipped as files of a package:
# on a site that used Salt they belong to Salt's packages or to the administrator, and a package manager would ask about them, rename
# them or take them away.
#
# /etc/salt, /var/cache/salt and /var/log/salt may belong to the user `salt`, who is not trusted like root. So nothing here changes the
# owner or mode of something that exists, writes through a link, or removes anything below a directory that root does not own.

# What the packages made on this machine, a path on each line. Purging removes these paths and no others.
MADE=/var/lib/brine/made

# Whether every directory above a path is root's, is no link and does not let everybody write: then only root can change the way to it.
is_rooted() {
	above=$(dirname "$1")
	while [ "$above" != / ]; do
		if [ -z "$(find "$above" -maxdepth 0 -type d -user 0 ! -perm -o=w 2>/dev/null)" ]; then
			return 1
		fi
		above=$(dirname "$above")
	done
}

exists() {
	[ -e "$1" ] || [ -L "$1" ]
}

# Notes the paths that do not exist yet: what comes to lie there is the work of these packages. Called once, before anything is made.
note_absent() {
	mkdir -p /var/lib/brine
	for path; do
		exists "$path" || printf '%s\n' "$path" >>"$MADE"
	done
}

is_made() {
	[ -f "$MADE" ] && grep -qxF "$1" "$MADE"
}

# Copies a default file to a place where nothing is. cp creates the target with O_EXCL, so it does not follow a link either.
place() {
	if ! exists "$2" && is_rooted "$2"; then
		cp -nT "$1" "$2"
	fi
}

# Removes a default file that nobody changed, so that Salt's package finds its place free.
take_back() {
	if [ -f "$2" ] && [ ! -L "$2" ] && is_made "$2" && is_rooted "$2" && cmp -s "$1" "$2"; then
		rm -f "$2"
	fi
}

# Removes paths that the packages made.
remove_made() {
	for path; do
		if is_made "$path"; then
			if ! exists "$path" || is_rooted "$path"; then
				rm -rf "$path"
			else
				echo "$path was left: root does not own all directories above it" >&2
			fi
		fi
	done
}

# Removes the log that the packages made, with the files it was rotated to.
remove_log() {
	if is_made "$1" && is_rooted "$1"; then
		rm -f "$1" "$1".[0-9]*
	fi
}

# Removes directories of the packages that are empty: dpkg does so before scripts have removed what was in them.
remove_empty() {
	for path; do
		if is_rooted "$path" && [ -d "$path" ] && [ ! -L "$path" ]; then
			rmdir --ignore-fail-on-non-empty "$path"
		fi
	done
}

# Forgets paths, and the list once it is empty.
forget() {
	for path; do
		if is_made "$path"; then
			grep -vxF "$path" "$MADE" >"$MADE.new" || :
			mv "$MADE.new" "$MADE"
		fi
	done
	if [ -f "$MADE" ] && [ ! -s "$MADE" ]; then
		rm -f "$MADE"
	fi
	rmdir --ignore-fail-on-non-empty /var/lib/brine 2>/dev/null || :
}
