// The grains of simulated minions, each slightly different.
import type { Dict, Value } from '../data/mod.ts'

/**
 * Return the grains of the minion with this number. They are created on demand, because thousands of dicts are large.
 */
export type GrainsOf = (id: string, number: number) => Dict

const ROLES = ['web', 'db', 'cache', 'queue', 'batch']
const SYSTEMS = [
  ['Debian', '12', 'Debian'],
  ['Debian', '13', 'Debian'],
  ['Ubuntu', '24.04', 'Debian'],
  ['Rocky', '9.4', 'RedHat'],
] as const

/** Grains that make a simulated minion about as large as a real one. */
const FILLING: ReadonlyArray<[Value, Value]> = Array.from({ length: 60 }, (_, i) => [
  `grain${i}`,
  i % 3 === 0 ? [`value ${i}`, i, true] : `a value of grain ${i}`,
])

/**
 * Return an address in 127.0.0.0/8 for a minion beside its master. A master recognises connected minions by their
 * addresses.
 */
export function ownAddress(number: number): string {
  const at = number + 1
  return `127.${10 + ((at >> 16) & 127)}.${(at >> 8) & 255}.${at & 255}`
}

/**
 * Return the grains of a fleet; `given` is one dict for all minions or a list of dicts, used in turns, and overrides
 * the generated ones.
 */
export function grainsFrom(version: string, given: readonly Dict[] = []): GrainsOf {
  return (id, number) => {
    const [os, osrelease, osFamily] = SYSTEMS[number % SYSTEMS.length]!
    const grains = new Map<Value, Value>([
      ['id', id],
      ['os', os],
      ['osrelease', osrelease],
      ['os_family', osFamily],
      ['kernel', 'Linux'],
      ['saltversion', version],
      ['num_cpus', 2 ** (number % 6)],
      ['roles', [ROLES[number % ROLES.length]!]],
      ['ipv4', [ownAddress(number)]],
      ['simulated', true],
      ...FILLING,
    ])
    for (const [name, value] of given[number % given.length] ?? []) grains.set(name, value)
    return grains.set('id', id)
  }
}
