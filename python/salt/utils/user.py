"""Who runs this."""

import getpass
import os


def get_user():
    return getpass.getuser()


def get_uid(user=None):
    if user is None:
        return os.geteuid()
    import pwd

    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def get_gid(group=None):
    if group is None:
        return os.getegid()
    import grp

    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        return None


def get_specific_user():
    user = get_user()
    return "sudo_" + os.environ["SUDO_USER"] if user == "root" and "SUDO_USER" in os.environ else user


def get_group_list(user, include_default=True):
    import grp
    import pwd

    names = {group.gr_name for group in grp.getgrall() if user in group.gr_mem}
    if include_default:
        names.add(grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name)
    return sorted(names)


def get_group_dict(user=None, include_default=True):
    return {name: get_gid(name) for name in get_group_list(user, include_default)}


def get_gid_list(user, include_default=True):
    return list(get_group_dict(user, include_default).values())


def get_default_group(user):
    import grp
    import pwd

    return grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name


def chugid(runas, group=None):
    """Becomes another user, which only root can."""
    import grp
    import os
    import pwd

    facts = pwd.getpwnam(runas)
    gid = grp.getgrnam(group).gr_gid if group else facts.pw_gid
    if (os.getuid(), os.getgid()) == (facts.pw_uid, gid):
        return
    os.initgroups(runas, gid)
    os.setgid(gid)
    os.setuid(facts.pw_uid)


def chugid_and_umask(runas, umask, group=None):
    import os

    if runas is not None or group is not None:
        chugid(runas or get_user(), group)
    if umask is not None:
        os.umask(umask)
