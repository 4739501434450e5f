// Systems that identify themselves in their own files: /etc/lsb-release and, from before os-release, files named after
// a distribution. Each gives `lsb_distrib_*` grains.
import type { Machine } from './machine.ts'
import type { OsRelease } from './os-release.ts'

export type TextGrains = Map<string, string | null>

const LSB_LINE = /^(DISTRIB_(?:ID|RELEASE|CODENAME|DESCRIPTION))=['"]?([\p{L}\p{N}_\s.-]+)['"]?/u

export async function lsbReleaseGrains(machine: Machine): Promise<TextGrains> {
  const grains: TextGrains = new Map()
  for (const line of await machine.lines('/etc/lsb-release')) {
    const match = LSB_LINE.exec(line)
    if (match) grains.set(`lsb_${match[1]!.toLowerCase()}`, match[2]!.trimEnd())
  }
  return grains
}

/** Return grains for systems whose /etc/lsb-release contains no distribution. */
export async function distributionFileGrains(machine: Machine, release: OsRelease | undefined): Promise<TextGrains> {
  if (release) return osReleaseGrains(release)
  if (await machine.isFile('/etc/SuSE-release')) return suse(await machine.lines('/etc/SuSE-release'))
  if (await machine.isFile('/etc/altlinux-release')) return altLinux(await machine.lines('/etc/altlinux-release'))
  if (await machine.isFile('/etc/centos-release')) return centos(await machine.lines('/etc/centos-release'))
  const isSynology =
    (await machine.isFile('/etc.defaults/VERSION')) && (await machine.isFile('/etc.defaults/synoinfo.conf'))
  return isSynology ? synology(await machine.lines('/etc.defaults/VERSION')) : new Map()
}

function osReleaseGrains(release: OsRelease): TextGrains {
  const grains: TextGrains = new Map([['lsb_distrib_id', release.get('NAME')!.trim()]])
  const version = release.get('VERSION_ID')
  if (version !== undefined) grains.set('lsb_distrib_release', version)
  grains.set('lsb_distrib_codename', release.get('VERSION_CODENAME') ?? release.get('PRETTY_NAME')!)
  const cpe = parseCpe(release.get('CPE_NAME') ?? '')
  if (['suse', 'opensuse'].includes(cpe.vendor.toLowerCase())) {
    grains.set('os', 'SUSE')
    if (release.get('NAME') === 'openSUSE Leap') grains.set('osfullname', 'Leap')
    else if (release.get('VERSION') === 'Tumbleweed') grains.set('osfullname', 'Tumbleweed')
    if (cpe.version !== '' && cpe.vendor === 'opensuse') grains.set('lsb_distrib_release', cpe.version)
  }
  if (release.get('ID')!.trim() === 'mendel') {
    const words = release.get('PRETTY_NAME')!.split(/\s+/)
    if (words.length >= 3) grains.set('lsb_distrib_release', words[2]!)
  }
  return grains
}

/** Vendor and version of a Common Platform Enumeration name, in either of its two forms. */
export function parseCpe(text: string): { vendor: string; version: string } {
  const parts = text.split(':')
  const named = (value: string | undefined): string => (value === undefined || value === '*' ? '' : value)
  if (parts.length > 4 && parts[0] === 'cpe') {
    if (parts[1]!.startsWith('/')) return { vendor: parts[2]!, version: parts[4]! }
    const isFormatted = parts.length === 6 || (parts.length > 7 && parts.length <= 13)
    if (parts[1] === '2.3' && isFormatted) return { vendor: named(parts[3]), version: named(parts[5]) }
  }
  return { vendor: '', version: '' }
}

function suse(lines: readonly string[]): TextGrains {
  const grains: TextGrains = new Map([['lsb_distrib_id', 'SUSE']])
  const digits = (line: string): string => line.replaceAll(/\D/g, '')
  let version = ''
  let patch = ''
  for (const line of lines) {
    const lower = line.toLowerCase()
    if (lower.includes('enterprise')) {
      grains.set('lsb_distrib_id', 'SLES')
      grains.set('lsb_distrib_codename', line.replace(/\(.+\)/, '').trim())
    } else if (lower.includes('version')) version = digits(line)
    else if (lower.includes('patchlevel')) patch = digits(line)
  }
  grains.set('lsb_distrib_release', patch === '' ? version : `${version}.${patch}`)
  const codename = grains.get('lsb_distrib_codename')
  if (!codename) grains.set('lsb_distrib_codename', 'n.a')
  else if (patch !== '' && !codename.includes(`SP${patch}`)) {
    grains.set('lsb_distrib_codename', `${codename} SP${patch}`)
  }
  return grains
}

function altLinux(lines: readonly string[]): TextGrains {
  const grains: TextGrains = new Map([['lsb_distrib_id', 'altlinux']])
  for (const line of lines) {
    const words = line.trim().split(/\s+/)
    if (words[0] !== 'ALT' || words.length < 4) continue
    grains.set('lsb_distrib_release', words[2]!)
    grains.set('lsb_distrib_codename', words[3]!.replaceAll(/[()]/g, ''))
  }
  return grains
}

function centos(lines: readonly string[]): TextGrains {
  const grains: TextGrains = new Map([['lsb_distrib_id', 'CentOS']])
  for (const line of lines) {
    const release = /\d+\.\d+/.exec(line)
    const codename = /\((.*?)\)/.exec(line)
    if (release) grains.set('lsb_distrib_release', release[0])
    if (codename) grains.set('lsb_distrib_codename', codename[1]!)
  }
  return grains
}

function synology(lines: readonly string[]): TextGrains {
  const parts = new Map(
    lines.flatMap((line) => (line.split('=').length === 2 ? [line.split('=') as [string, string]] : [])),
  )
  const value = (name: string): string | undefined => parts.get(name)?.replaceAll(/^"+|"+$/g, '')
  const grains: TextGrains = new Map([['osfullname', 'Synology']])
  const [major, minor, build] = ['majorversion', 'minorversion', 'buildnumber'].map(value)
  if (major !== undefined && minor !== undefined && build !== undefined) {
    grains.set('osrelease', `${major}.${minor}-${build}`)
  }
  return grains
}
