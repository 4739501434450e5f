// os-release: `NAME=value` lines, parsed like Python's standard library, and the grains that follow from them alone.
import { osName } from './os-names.ts'

export type OsRelease = ReadonlyMap<string, string>

const LINE = /^([a-zA-Z0-9_]+)=(["']?)(.*)\2$/

/** Required names that are missing get a default value. */
export function parseOsRelease(text: string): OsRelease {
  const values = new Map([
    ['NAME', 'Linux'],
    ['ID', 'linux'],
    ['PRETTY_NAME', 'Linux'],
  ])
  for (const line of text.split('\n')) {
    const match = LINE.exec(line)
    if (match) values.set(match[1]!, match[3]!.replaceAll(/\\([\\$"'`])/g, '$1'))
  }
  return values
}

export interface SystemNames {
  os: string
  os_family: string
  oscodename: string | null
  osfullname: string
  osrelease: string | null
}

export function namesFromOsRelease(release: OsRelease): SystemNames {
  const id = release.get('ID')!
  const name = release.get('NAME')!
  return {
    os: osName(name, id),
    os_family: familyName(familyId(id, release.get('ID_LIKE'))),
    oscodename: release.get('VERSION_CODENAME') || codenameElsewhere(release),
    osfullname: name.trim(),
    osrelease: release.get('VERSION_ID') || releaseElsewhere(release),
  }
}

/** The oldest ancestor; `ID_LIKE` goes from the closest to the farthest. */
function familyId(id: string, like: string | undefined): string {
  if (!like) return id
  const all = [id, ...like.split(/\s+/).filter((word) => word !== '')]
  return all.includes('debian') || all.includes('ubuntu') ? 'debian' : all.at(-1)!
}

function familyName(id: string): string {
  if (id === 'fedora') return 'RedHat'
  return id.charAt(0).toUpperCase() + id.slice(1).toLowerCase()
}

/** Some systems hide their codename. */
function codenameElsewhere(release: OsRelease): string | null {
  const id = release.get('ID')
  if (id === 'astra') return release.get('VARIANT_ID') ?? null
  if (id !== 'almalinux' && id !== 'rocky') return null
  return /^\d[\d.+\-a-z]* \((.+)\)/.exec(release.get('VERSION') ?? '')?.[1] ?? null
}

function releaseElsewhere(release: OsRelease): string | null {
  if (release.get('ID') !== 'mendel') return null
  return release.get('PRETTY_NAME')!.split(/\s+/)[2] ?? null
}
