// The Linux distribution of the machine: os, os_family, osfullname, osrelease, oscodename and the lsb_distrib_* grains.
import { type Dict, tuple, type Value } from '../data/mod.ts'
import { type Distro, distroOf } from './distro.ts'
import type { Machine } from './machine.ts'
import { familyOf, osName } from './os-names.ts'
import { namesFromOsRelease, type OsRelease, parseOsRelease } from './os-release.ts'
import { distributionFileGrains, lsbReleaseGrains, type TextGrains } from './release-files.ts'

export async function distributionGrains(machine: Machine): Promise<Dict> {
  const [grains, text] = await Promise.all([lsbReleaseGrains(machine), osReleaseText(machine)])
  const release = text === undefined ? undefined : parseOsRelease(text)
  if (release) {
    const { osrelease: _, ...names } = namesFromOsRelease(release)
    for (const [name, value] of Object.entries(names)) grains.set(name, value)
  }
  if (grains.get('lsb_distrib_description')?.toLowerCase().startsWith('antergos')) {
    grains.set('osfullname', 'Antergos Linux')
  } else if (!grains.has('lsb_distrib_id')) {
    for (const [name, value] of await distributionFileGrains(machine, release)) grains.set(name, value)
  }
  await completeFromDistro(machine, grains)
  if (!grains.has('os')) grains.set('os', osName(grains.get('osfullname')!))
  if (release?.has('SUSE_SUPPORT_PRODUCT')) nameSuseProduct(grains, release)
  grains.set('os_family', familyOf(grains.get('os')!))
  return new Map<Value, Value>(grains)
}

/**
 * Add missing grains from the `distro` data. It is queried only for these, because one of its sources is a slow
 * program.
 */
async function completeFromDistro(machine: Machine, grains: TextGrains): Promise<void> {
  const isNumbered = grains.has('osrelease') || hasRelease(grains)
  const codename = grains.get('lsb_distrib_codename') ?? ''
  const isCoded = codename.trim() !== '' && !codename.includes('Red Hat')
  const isNamed = grains.has('osfullname') || grains.has('lsb_distrib_id')
  const distro = isNamed && isNumbered && isCoded ? NOT_ASKED : await distroOf(machine)
  const unquoted = (value: string): string => value.replaceAll(/^["]+|["]+$/g, '').replaceAll(/^[']+|[']+$/g, '')
  nameSystem(grains, unquoted(distro.name))
  numberRelease(grains, unquoted(distro.version))
  nameCode(grains, unquoted(distro.codename))
}

const NOT_ASKED: Distro = { name: '', version: '', codename: '' }

/** CentOS 7 and 8 leave their minor release out of os-release. */
const hasRelease = (grains: TextGrains): boolean =>
  grains.has('lsb_distrib_release') && !/CentOS Linux [78]/.test(grains.get('lsb_distrib_codename') ?? '')

async function osReleaseText(machine: Machine): Promise<string | undefined> {
  return (await machine.text('/etc/os-release')) ?? machine.text('/usr/lib/os-release')
}

function nameSystem(grains: TextGrains, name: string): void {
  if (grains.has('osfullname')) return
  const lsb = grains.get('lsb_distrib_id') ?? name
  grains.set('osfullname', lsb.toLowerCase().startsWith('nilrt') ? 'nilrt' : lsb.trim())
}

function numberRelease(grains: TextGrains, version: string): void {
  if (grains.has('osrelease')) return
  if (!hasRelease(grains)) grains.delete('lsb_distrib_release')
  grains.set('osrelease', (grains.get('lsb_distrib_release') ?? version).trim())
}

/** Some have their codename in brackets behind the whole name. */
function nameCode(grains: TextGrains, codename: string): void {
  const os = grains.get('os') ?? ''
  const lsb = grains.get('lsb_distrib_codename') ?? ''
  if (lsb !== '' && /Rocky|AlmaLinux|AstraLinuxSE/.test(os)) {
    const open = lsb.indexOf('(')
    const inside = lsb.slice(open + 1).split(')')[0]!
    if (open >= 0) {
      const name = os === 'AstraLinuxSE' ? inside.trim().split(/\s+/)[0]!.toLowerCase() : inside
      grains.set('lsb_distrib_codename', name)
    }
  }
  const chosen = (grains.get('lsb_distrib_codename') ?? '').trim() || codename
  grains.set('oscodename', chosen.includes('Red Hat') ? codename : chosen)
}

function nameSuseProduct(grains: TextGrains, release: OsRelease): void {
  const product = release.get('SUSE_SUPPORT_PRODUCT')!
  const version = release.get('SUSE_SUPPORT_PRODUCT_VERSION') ?? ''
  grains.set('oscodename', release.get('SUSE_PRETTY_NAME') ?? `${product} ${version}`)
  grains.set('osrelease', version)
  if (product === 'SUSE Linux Micro') grains.set('osfullname', 'SL-Micro')
}

const FINGER_BY_OS = new Set(['Debian', 'FreeBSD', 'OpenBSD', 'NetBSD', 'Mac', 'Raspbian', 'AlmaLinux'])
const FINGER_WITH_MINOR = new Set(['Ubuntu', 'Pop', 'NixOS'])

/** osrelease_info, osmajorrelease and osfinger; nothing without a release. */
export function releaseGrains(os: string, fullName: string, release: string): Dict {
  const grains: Dict = new Map()
  if (release === '') return grains
  const info = release.split('.').map((part): Value => (/^\p{Nd}+$/u.test(part) ? Number(part) : part))
  grains.set('osrelease_info', tuple(info))
  const major = typeof info[0] === 'number' ? info[0] : undefined
  if (major !== undefined) grains.set('osmajorrelease', major)
  const name = FINGER_BY_OS.has(os) ? os : fullName
  grains.set('osfinger', `${name}-${FINGER_WITH_MINOR.has(os) ? release : String(info[0])}`)
  return grains
}
