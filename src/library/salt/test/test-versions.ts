// The versions of this installation, for `test.versions_report`.
import { brineVersion, SALT_VERSION } from '../../../base/mod.ts'
import { str, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'

type Section = Record<string, string | null>

type Asking = Pick<FunctionContext, 'grains' | 'extensions'>

export async function versionsInformation({ grains, extensions }: Asking): Promise<Record<string, Section>> {
  const grain = (name: string): string => str(grains.get(name) ?? '')
  const { node, ...libraries } = process.versions
  const installed = (await extensions()).map(({ name, version }) => [name, version] as const)
  return {
    'Salt Version': { Salt: SALT_VERSION },
    'Brine Version': { Brine: brineVersion() },
    'Node Version': { Node: node },
    'Dependency Versions': { openssl: libraries.openssl ?? null, uv: libraries.uv ?? null, v8: libraries.v8 ?? null },
    ...(installed.length > 0 && { 'Salt Extensions': Object.fromEntries(installed) }),
    'System Versions': {
      dist: [grain('os').toLowerCase(), grain('osrelease'), grain('oscodename')].filter(Boolean).join(' '),
      locale: localeEncoding(grains.get('locale_info') ?? null),
      machine: grain('cpuarch'),
      release: grain('kernelrelease'),
      system: grain('kernel'),
      version: [grain('osfullname'), grain('osrelease'), grain('oscodename')].filter(Boolean).join(' '),
    },
  }
}

function localeEncoding(info: Value): string {
  return info instanceof Map ? str(info.get('detectedencoding') ?? 'utf-8') : 'utf-8'
}

/** Format the versions as text, with right-aligned names and an empty line between sections. */
export async function versionsReport(asking: Asking): Promise<string> {
  const sections = Object.entries(await versionsInformation(asking))
  const width =
    Math.max('Not Installed'.length, ...sections.flatMap(([, s]) => Object.keys(s).map((n) => n.length))) + 1
  const lines: string[] = []
  for (const [title, section] of sections) {
    lines.push(`${title}:`)
    const names = Object.keys(section).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    for (const name of names) lines.push(`${name.padStart(width)}: ${section[name] || 'Not Installed'}`)
    lines.push(' ')
  }
  return lines.join('\n')
}
