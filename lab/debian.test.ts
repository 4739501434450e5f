import { describe, expect, it } from 'vitest'
import { mirrorOf, suiteOf } from './debian.ts'

describe('the Debian of hosts', () => {
  it('is the release of a machine that is Debian', () => {
    expect(suiteOf('PRETTY_NAME="Debian GNU/Linux 12"\nVERSION_CODENAME=bookworm\nID=debian\n')).toBe('bookworm')
    expect(suiteOf('ID=ubuntu\nVERSION_CODENAME=noble\nID_LIKE=debian\n')).toBeUndefined()
  })

  it('comes from the site where apt finds the main part of the release', () => {
    const targets = [
      'https://deb.nodesource.com/node_20.x nodistro . main',
      'http://mirror.lab/security bookworm-security Debian main',
      'http://mirror.lab/debian bookworm Debian contrib',
      'http://mirror.lab/main bookworm Debian main',
    ].join('\n')
    expect(mirrorOf(targets, 'bookworm')).toBe('http://mirror.lab/main')
    expect(mirrorOf(targets, 'trixie')).toBeUndefined()
  })
})
