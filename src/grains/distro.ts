// The results of the Python library `distro` for a Linux system: name, most precise version and codename, from
// os-release, the `lsb_release` command and files such as /etc/redhat-release, in this order.
import { isA, recover } from '../base/mod.ts'
import { PyError, shlexSplit } from '../data/mod.ts'
import type { Machine } from './machine.ts'

export interface Distro {
  name: string
  version: string
  codename: string
}

type Facts = ReadonlyMap<string, string>

export async function distroOf(machine: Machine): Promise<Distro> {
  const [release, lsb, file, debian] = await Promise.all([
    osReleaseFacts(machine),
    lsbFacts(machine),
    releaseFileFacts(machine),
    machine.text('/etc/debian_version'),
  ])
  const isDebian = release.get('id') === 'debian' || (release.get('id_like') ?? '').split(/\s+/).includes('debian')
  const versions = [
    release.get('version_id'),
    lsb.get('release'),
    file.get('version_id'),
    parseReleaseLine(release.get('pretty_name') ?? '').get('version_id'),
    parseReleaseLine(lsb.get('description') ?? '').get('version_id'),
    isDebian ? debian?.split('\n')[0]?.trimEnd() : '',
  ]
  return {
    name: release.get('name') || lsb.get('distributor_id') || file.get('name') || '',
    version: mostPrecise(versions.map((version) => version ?? '')),
    codename: release.get('codename') ?? (lsb.get('codename') || file.get('codename') || ''),
  }
}

function mostPrecise(versions: readonly string[]): string {
  const dots = (version: string): number => version.split('.').length
  return versions.reduce((best, version) => (best === '' || dots(version) > dots(best) ? version : best), '')
}

async function osReleaseFacts(machine: Machine): Promise<Facts> {
  const text = (await machine.text('/etc/os-release')) ?? (await machine.text('/usr/lib/os-release')) ?? ''
  const facts = new Map<string, string>()
  for (const token of shellTokens(text)) {
    const equals = token.indexOf('=')
    if (equals >= 0) facts.set(token.slice(0, equals).toLowerCase(), token.slice(equals + 1))
  }
  const named = /\((\D+)\)|,\s*(\D+)/.exec(facts.get('version') ?? '')
  const codename = facts.get('version_codename') ?? facts.get('ubuntu_codename') ?? named?.[1] ?? named?.[2]
  if (codename !== undefined) facts.set('codename', codename)
  return facts
}

/** Line by line, so that an open quote costs only its line. */
function shellTokens(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    return recover(isA(PyError), [], () => shlexSplit(line.replace(/(^|\s)#.*$/, '')))
  })
}

async function lsbFacts(machine: Machine): Promise<Facts> {
  const facts = new Map<string, string>()
  if ((await machine.which('lsb_release')) === undefined) return facts
  const ran = await machine.run('lsb_release', '-a')
  for (const line of ran?.retcode === 0 ? ran.stdout.split('\n') : []) {
    const colon = line.indexOf(':')
    if (colon >= 0) facts.set(line.slice(0, colon).replaceAll(' ', '_').toLowerCase(), line.slice(colon + 1).trim())
  }
  return facts
}

const NO_RELEASE_FILES = new Set([
  'debian_version',
  'lsb-release',
  'oem-release',
  'os-release',
  'system-release',
  'plesk-release',
  'iredmail-release',
])

async function releaseFileFacts(machine: Machine): Promise<Facts> {
  for (const name of await machine.list('/etc')) {
    if (NO_RELEASE_FILES.has(name) || !/^\w+[-_](?:release|version)$/.test(name)) continue
    if (!(await machine.isFile(`/etc/${name}`))) continue
    const [first] = await machine.lines(`/etc/${name}`)
    // a line without a word is a name as well, and the files after it do not count
    if (first !== undefined) return new Map([['name', ''], ...parseReleaseLine(first)])
  }
  return new Map()
}

const reversed = (text: string): string => Array.from(text).reverse().join('')

/** `CentOS Linux release 7.9.2009 (Core)`, matched from its end. */
function parseReleaseLine(line: string): Map<string, string> {
  const facts = new Map<string, string>()
  const match = /^(?:[^)]*\)(.*)\()? *(?:STL )?([\d.+\-a-z]*\d) *(?:esaeler *)?(.+)/.exec(reversed(line.trim()))
  if (match) {
    facts.set('name', reversed(match[3]!))
    facts.set('version_id', reversed(match[2]!))
    if (match[1]) facts.set('codename', reversed(match[1]))
  } else if (line !== '') facts.set('name', line.trim())
  return facts
}
