import { describe, expect, it } from 'vitest'
import { type Machine, obstacle } from './obstacle.ts'

const able: Machine = {
  platform: 'linux',
  uid: 0,
  has: () => true,
  ownsCgroups: () => true,
  networkTrouble: async () => undefined,
}

describe('a machine that cannot be a lab', () => {
  const cases: [Partial<Machine>, string | undefined][] = [
    [{}, undefined],
    [{ platform: 'darwin' }, 'hosts need Linux'],
    [{ uid: 1000 }, 'only root can boot hosts'],
    [{ has: (program) => program !== 'systemd-nspawn' }, 'systemd-nspawn not found (Debian: systemd-container)'],
    [{ ownsCgroups: () => false }, 'control groups cannot be made here'],
    [{ networkTrouble: async () => 'denied' }, 'network namespaces cannot be made here: denied'],
  ]
  it.each(cases)('%j says in one line: %s', async (lacks, reason) => {
    expect(await obstacle({ ...able, ...lacks })).toBe(reason)
  })
})
