// CHANGELOG.md in the forms of Debian and RPM: one entry for each release, which counts the changes of each kind and names the file that
// describes them.
import type { Release } from './target.ts'

interface Entry {
  version: string
  date: number
  lines: string[]
}

/** Unreleased entries belong to the packaged version. */
function entriesOf(text: string, release: Release): Entry[] {
  const parts = text.split(/^## /m).slice(1)
  const entries = parts.map((part): Entry => {
    const [, version, day] = /^\[?([^\]\s]+)\]?(?:\s+-\s+(\S+))?/.exec(part) ?? []
    const isCurrent = version === 'Unreleased' || version === release.version
    const kinds = part
      .split(/^### /m)
      .slice(1)
      .map((kind): [string, number] => {
        return [kind.slice(0, kind.indexOf('\n')).trim(), kind.match(/^- /gm)?.length ?? 0]
      })
    return {
      version: isCurrent ? release.version : version!,
      date: isCurrent ? release.date : Math.floor(Date.parse(`${day}T00:00:00Z`) / 1000),
      lines: kinds.filter(([, count]) => count > 0).map(([kind, count]) => `${kind}: ${count} changes`),
    }
  })
  // an empty section for the next entries
  return entries.filter(({ lines }, at) => at === 0 || lines.length > 0).filter(unlessSame)
}

const unlessSame = ({ version }: Entry, at: number, all: Entry[]): boolean =>
  all.findIndex((each) => each.version === version) === at

export function debianChangelog(text: string, release: Release): string {
  return entriesOf(text, release)
    .map(({ version, date, lines }) => {
      const stamp = new Date(date * 1000).toUTCString().replace('GMT', '+0000')
      const items = ['Release; /usr/share/doc/brine/changelog.gz describes the changes.', ...lines].map(
        (line) => `  * ${line}\n`,
      )
      return `brine (${version}-${release.revision}) unstable; urgency=medium\n\n${items.join('')}\n -- ${release.maintainer}  ${stamp}\n`
    })
    .join('\n')
}

export function rpmChangelog(text: string, release: Release): string {
  return entriesOf(text, release)
    .map(({ version, date, lines }) => {
      const [week, day, month, year] = new Date(date * 1000).toUTCString().split(/,? /)
      const items = ['Release', ...lines].map((line) => `- ${line}\n`)
      return `* ${week} ${month} ${day} ${year} ${release.maintainer} - ${version}-${release.revision}\n${items.join('')}`
    })
    .join('\n')
}
