import { expect, test } from 'vitest'
import { debianChangelog, rpmChangelog } from './changelog.ts'

const TEXT = `# Changelog

## [Unreleased]

### Security

- One.
- Two.

## [0.1.0] - 2026-01-05

### Added: programs

- A first one.
`

const release = { version: '0.2.0', revision: '1', date: 1_800_000_000, maintainer: 'A <a@example.com>' }

test("Debian's changelog has an entry for each release, and the packaged version for what is not released yet", () => {
  const text = debianChangelog(TEXT, release)
  expect(text.match(/^brine .*/gm)).toEqual([
    'brine (0.2.0-1) unstable; urgency=medium',
    'brine (0.1.0-1) unstable; urgency=medium',
  ])
  expect(text).toContain('  * Security: 2 changes\n')
  expect(text).toContain('\n -- A <a@example.com>  Fri, 15 Jan 2027 08:00:00 +0000\n')
})

test("RPM's changelog begins with the day, the packager and the version", () => {
  expect(rpmChangelog(TEXT, release).match(/^\*.*/gm)).toEqual([
    '* Fri Jan 15 2027 A <a@example.com> - 0.2.0-1',
    '* Mon Jan 05 2026 A <a@example.com> - 0.1.0-1',
  ])
})
