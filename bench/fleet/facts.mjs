// What the simulated minions of a bench say about themselves, each a little different from the others. Copied into the swarm's lib/.

const ROLES = ['web', 'db', 'cache', 'queue', 'batch']
const SYSTEMS = [
  ['Debian', '12', 'Debian'],
  ['Debian', '13', 'Debian'],
  ['Ubuntu', '24.04', 'Debian'],
  ['Rocky', '9.4', 'RedHat'],
]

/** About as many as a real minion has. */
const MORE = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`grain${i}`, i % 3 === 0 ? [`value ${i}`, i, true] : `a value of grain ${i}`]),
)

/** The number at the end of an id. */
export const numberOf = (id) => Number(/\d+$/.exec(id)?.[0] ?? 0)

/** An address of its own for each minion: the master tells by it which minions are connected. */
export function addressOf(id) {
  const number = numberOf(id) + 1
  return `127.${10 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
}

export function grainsOf(id) {
  const number = numberOf(id)
  const [os, osrelease, os_family] = SYSTEMS[number % SYSTEMS.length]
  return {
    id,
    os,
    osrelease,
    os_family,
    saltversion: number % 50 === 0 ? '3007.14' : '3008.2',
    num_cpus: 2 ** (number % 6),
    roles: [ROLES[number % ROLES.length]],
    ipv4: [addressOf(id)],
    ...MORE,
  }
}
