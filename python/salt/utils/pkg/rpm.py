"""What `rpm` says of packages."""

import datetime
import subprocess

ARCHES_64 = ("x86_64", "athlon", "amd64", "ia32e", "ia64", "geode")
ARCHES_32 = ("i386", "i486", "i586", "i686")
ARCHES_PPC = ("ppc", "ppc64", "ppc64le", "ppc64iseries", "ppc64pseries")
ARCHES_S390 = ("s390", "s390x")
ARCHES_SPARC = ("sparc", "sparcv8", "sparcv9", "sparcv9v", "sparc64", "sparc64v")
ARCHES_ALPHA = tuple("alpha" + kind for kind in ("", "ev4", "ev45", "ev5", "ev56", "pca56", "ev6", "ev67", "ev68", "ev7"))
ARCHES_ARM_32 = ("armv5tel", "armv5tejl", "armv6l", "armv6hl", "armv7l", "armv7hl", "armv7hnl")
ARCHES_ARM_64 = ("aarch64",)
ARCHES_SH = ("sh3", "sh4", "sh4a")
ARCHES = (ARCHES_64 + ARCHES_32 + ARCHES_PPC + ARCHES_S390 + ARCHES_ALPHA + ARCHES_ARM_32 + ARCHES_ARM_64 + ARCHES_SH)
ARCHMAP = {"powerpc64le": "ppc64le"}
QUERYFORMAT = "%{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}_|-%{REPOID}_|-%{INSTALLTIME}"


def get_osarch():
    try:
        command = ["rpm", "--eval", "%{_host_cpu}"]
        arch = subprocess.check_output(command, stderr=subprocess.DEVNULL, universal_newlines=True).strip()
    except (OSError, subprocess.CalledProcessError):
        import platform

        arch = platform.machine()
    return ARCHMAP.get(arch, arch or "unknown")


def check_32(arch, osarch=None):
    osarch = osarch or get_osarch()
    return all(item in ARCHES_32 for item in (osarch, arch))


def resolve_name(name, arch, osarch=None):
    """With the architecture behind it, where that is another than the system's."""
    osarch = osarch or get_osarch()
    return "{}.{}".format(name, arch) if not check_32(arch, osarch) and arch not in (osarch, "noarch") else name


def pkginfo(name, version, arch, repoid, install_date=None, install_date_time_t=None):
    import collections

    kind = collections.namedtuple("PkgInfo", ("name", "version", "arch", "repoid", "install_date", "install_date_time_t"))
    return kind(name, version, arch, repoid, install_date, install_date_time_t)


def parse_pkginfo(line, osarch=None):
    words = line.split("_|-")
    if len(words) != 7:
        return None
    name, epoch, version, release, arch, repoid, seconds = words
    when = None
    if seconds.isdigit():
        when = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).isoformat() + "Z"
    version = "{}-{}".format(version, release) if release else version
    version = version if epoch in ("(none)", "0") else "{}:{}".format(epoch, version)
    stamp = int(seconds) if seconds.isdigit() else None
    return pkginfo(resolve_name(name, arch, osarch), version, arch, repoid, when, stamp)


def combine_comments(comments):
    lines = [comments] if not isinstance(comments, list) else comments
    return "".join("# {}\n".format(line.lstrip("#").strip()) for line in lines)


def version_to_evr(verstring):
    if verstring in (None, ""):
        return "0", "", ""
    epoch, mark, rest = verstring.partition(":")
    if not mark:
        epoch, rest = "0", verstring
    version, _, release = rest.partition("-")
    return epoch.strip() if epoch.strip().isdigit() else "0", version, release
