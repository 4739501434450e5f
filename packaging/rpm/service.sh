# The life of a unit in RPM's way. When Salt's package is erased in the same transaction, it stops and disables the unit after our files
# are there, so what the administrator wants is noted before and done at the end. Notes are in /run, where only root writes.
NOTES=/run/brine

has_systemd() {
	[ -d /run/systemd/system ]
}

# Called before the transaction: notes whether the unit of Salt's package, or of an older one of ours, is wanted.
note_unit() {
	mkdir -p "$NOTES"
	if has_systemd && systemctl --quiet is-enabled "$1" 2>/dev/null; then
		: >"$NOTES/$1.enabled"
	fi
	if has_systemd && systemctl --quiet is-active "$1" 2>/dev/null; then
		: >"$NOTES/$1.active"
	fi
}

# Called after the transaction. A unit that was not there before follows the presets of the system.
settle_unit() {
	if [ -e "$NOTES/$1.enabled" ]; then
		systemctl --quiet enable "$1" || :
	elif [ "$2" = first ]; then
		systemctl --quiet preset "$1" || :
	fi
	if has_systemd; then
		systemctl daemon-reload || :
		if [ -e "$NOTES/$1.active" ]; then
			restart_unit "$1"
		fi
	fi
	rm -f "$NOTES/$1.enabled" "$NOTES/$1.active"
}

# A job of the minion may be what installs this package. Then the minion is restarted when its jobs have ended.
restart_unit() {
	if [ "$1" = salt-minion.service ] && grep -q '/salt-minion\.service' /proc/self/cgroup 2>/dev/null; then
		systemd-run --quiet --collect --unit=brine-minion-restart /usr/lib/brine/restart-idle-minion || :
	else
		systemctl restart "$1" || :
	fi
}

end_unit() {
	systemctl --quiet --no-reload disable "$1" 2>/dev/null || :
	if has_systemd; then
		systemctl stop "$1" || :
	fi
}

# RPM renames a changed configuration file of a package that is erased: the administrator's file goes back to its place.
give_back() {
	if ! exists "$1" && [ -f "$1.rpmsave" ] && [ ! -L "$1.rpmsave" ] && is_rooted "$1"; then
		cp -pnT "$1.rpmsave" "$1"
	fi
}

reload_systemd() {
	if has_systemd; then
		systemctl daemon-reload || :
	fi
}
