# The life of a unit in Debian's way: deb-systemd-helper keeps whether the administrator wants it, by the unit's name and over removals,
# so the choice made under Salt's package counts here, and under Salt's package again later.

# Whether dpkg still knows one of the packages, installed or with configuration files left.
is_known() {
	for package; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || :) in
		'' | not-installed) ;;
		*) return 0 ;;
		esac
	done
	return 1
}

enable_unit() {
	deb-systemd-helper unmask "$1" >/dev/null || :
	if deb-systemd-helper --quiet was-enabled "$1"; then
		deb-systemd-helper enable "$1" >/dev/null || :
	else
		deb-systemd-helper update-state "$1" >/dev/null || :
	fi
}

has_systemd() {
	[ -d /run/systemd/system ]
}

# deb-systemd-invoke heeds policy-rc.d and leaves disabled units alone. A daemon that cannot start, for example because of its
# configuration, does not fail the package: it says why in its log and in `systemctl status`.
start_unit() {
	if has_systemd; then
		systemctl --system daemon-reload >/dev/null || :
		if ! deb-systemd-invoke "$2" "$1" >/dev/null; then
			echo "$1 could not be started; systemctl status $1 says why" >&2
		fi
	fi
}

stop_unit() {
	if has_systemd; then
		deb-systemd-invoke stop "$1" >/dev/null || :
	fi
}

reload_systemd() {
	if has_systemd; then
		systemctl --system daemon-reload >/dev/null || :
	fi
}

purge_unit() {
	deb-systemd-helper purge "$1" >/dev/null || :
	deb-systemd-helper unmask "$1" >/dev/null || :
}

# The minion and the syndic of a machine have one id and one pair of keys, which go when the second of their packages is purged. $1 is the
# other package.
remove_identity() {
	if ! is_known "$1"; then
		if ! is_known salt-minion salt-syndic; then
			remove_made /etc/salt/minion_id /etc/salt/pki/minion
		fi
		forget /etc/salt/minion_id /etc/salt/pki/minion
	fi
}
