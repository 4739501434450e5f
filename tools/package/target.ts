// The target of a package: processor names for Debian, RPM and npm, the version, and the common date of all files and
// changelogs.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ARCHITECTURES = ['amd64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

interface Names {
  rpm: string
  node: string
  /** The emulator of Debian's package qemu-user-static. */
  emulator: string
}

export const NAMES: Readonly<Record<Architecture, Names>> = {
  amd64: { rpm: 'x86_64', node: 'x64', emulator: 'qemu-x86_64-static' },
  arm64: { rpm: 'aarch64', node: 'arm64', emulator: 'qemu-aarch64-static' },
}

export interface Release {
  /** The version of Brine, and the number of this packaging of it. */
  version: string
  revision: string
  /** Seconds since 1970. */
  date: number
  maintainer: string
}

/** The default maintainer, whose address takes no mail. Publishers of packages set DEBFULLNAME and DEBEMAIL. */
const NOBODY = { name: 'The contributors of Brine', address: 'brine@packages.invalid' }

/** Return the release that this checkout makes: its date is SOURCE_DATE_EPOCH, or that of the last commit. */
export function releaseOf(root: string, revision: string): Release {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const { SOURCE_DATE_EPOCH: wanted, DEBFULLNAME: name, DEBEMAIL: address } = process.env
  if (wanted !== undefined && !/^\d+$/.test(wanted))
    throw new Error(`SOURCE_DATE_EPOCH '${wanted}' is not a number of seconds`)
  const date = Number(wanted ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }))
  return { version, revision, date, maintainer: `${name ?? NOBODY.name} <${address ?? NOBODY.address}>` }
}
