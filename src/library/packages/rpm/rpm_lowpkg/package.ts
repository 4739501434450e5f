// Package data of rpm and the programs above it, and the name of a package here: with its architecture if that is a
// foreign one.

const X86_64 = ['x86_64', 'x86_64_v2']
const X86_32 = ['i386', 'i486', 'i586', 'i686']
const ARM_32 = ['armv5tel', 'armv5tejl', 'armv6l', 'armv6hl', 'armv7l', 'armv7hl', 'armv7hnl']

export const ARCHES = new Set([
  ...X86_64,
  ...['athlon', 'amd64', 'ia32e', 'ia64', 'geode'],
  ...X86_32,
  ...['ppc', 'ppc64', 'ppc64le', 'ppc64iseries', 'ppc64pseries'],
  ...['s390', 's390x'],
  ...['alpha', 'alphaev4', 'alphaev45', 'alphaev5', 'alphaev56', 'alphapca56', 'alphaev6', 'alphaev67', 'alphaev68'],
  ...['alphaev7', ...ARM_32, 'aarch64', 'sh3', 'sh4', 'sh4a'],
])

export const QUERYFORMAT = '%{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}_|-%{REPOID}_|-%{INSTALLTIME}'

export const areBoth32 = (arch: string, osarch: string): boolean =>
  [X86_32, ARM_32].some((family) => family.includes(arch) && family.includes(osarch))

export function resolveName(name: string, arch: string, osarch: string): string {
  const own = [osarch, 'noarch'].includes(arch) || areBoth32(arch, osarch)
  const bothX86 = X86_64.includes(arch) && X86_64.includes(osarch)
  return own || bothX86 ? name : `${name}.${arch}`
}

/** Split `name.arch`; the architecture is undefined if it is not a known one. */
export function splitArch(name: string): { name: string; arch: string | undefined } {
  const dot = name.lastIndexOf('.')
  const arch = name.slice(dot + 1)
  const known = dot >= 0 && (ARCHES.has(arch) || arch === 'noarch')
  return known ? { name: name.slice(0, dot), arch } : { name, arch: undefined }
}

/** A name without the machine's own architecture. */
export function normalizeName(name: string, osarch: string): string {
  const { name: plain, arch } = splitArch(name)
  return arch !== undefined && resolveName(plain, arch, osarch) === plain ? plain : name
}

export interface RpmPackage {
  name: string
  /** With epoch and release. */
  version: string
  arch: string
  repoid: string
  install_date: string | null
  install_date_time_t: number | null
}

/** A line that `QUERYFORMAT` made. */
export function parsePackage(line: string, osarch: string): RpmPackage | undefined {
  const fields = line.split('_|-')
  if (fields.length !== 7) return undefined
  const [name, epoch, version, release, arch, repoid, installed] = fields as [string, ...string[]] & { length: 7 }
  const full = release ? `${version}-${release}` : version!
  const time = ['(none)', '0'].includes(installed!) ? null : Number(installed)
  return {
    name: resolveName(name, arch!, osarch),
    version: ['(none)', '0'].includes(epoch!) ? full : `${epoch}:${full}`,
    arch: arch!,
    repoid: repoid!,
    install_date: time === null ? null : `${isoTime(time)}+00:00Z`,
    install_date_time_t: time,
  }
}

/** Without a zone. */
export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19)
