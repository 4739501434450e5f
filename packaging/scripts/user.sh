# The user that a master becomes when its configuration says `user: salt`, as Salt's packages make it. A user that exists stays as it is.
make_user() {
	if ! getent passwd salt >/dev/null; then
		getent group salt >/dev/null || groupadd --system salt
		useradd --system --gid salt --home-dir /var/lib/salt --no-create-home --shell /usr/sbin/nologin --comment Salt salt
	fi
	# /var/lib is root's, so nobody else can have put a link here
	if [ "$(getent passwd salt | cut -d: -f6)" = /var/lib/salt ] && ! exists /var/lib/salt; then
		install -d -o salt -g salt -m 0750 /var/lib/salt
	fi
}
