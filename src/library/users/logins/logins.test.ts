import { expect, test } from 'vitest'
import { fromPlain, type Plain } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type BeaconDeclaration, beaconOptions } from '../../../sdk/mod.ts'
import { lookingOn } from '../../salt/beacons/looking.test-support.ts'
import btmp from './btmp.beacon.ts'
import wtmp from './wtmp.beacon.ts'

interface Login {
  type?: number
  pid?: number
  line?: string
  user?: string
  host?: string
  time?: number
}

/** A record as login programs write it. */
function record({ type = 7, pid = 42, line = 'pts/0', user = '', host = '', time = 1700000000 }: Login): Buffer {
  const bytes = Buffer.alloc(384)
  bytes.writeInt16LE(type, 0)
  bytes.writeInt32LE(pid, 4)
  bytes.write(line, 8)
  bytes.write('ts/0', 40)
  bytes.write(user, 44)
  bytes.write(host, 76)
  bytes.writeInt32LE(7, 336)
  bytes.writeInt32LE(time, 340)
  return bytes
}

async function machine(file: string): Promise<MemoryHost> {
  const host = new MemoryHost()
  await host.makeDirectory('/var/log', { parents: true })
  await host.write(file, record({ user: 'old' }))
  return host
}

test('a failed login is reported with all fields of its record, and earlier ones are not', async () => {
  const host = await machine('/var/log/btmp')
  const look = lookingOn(host, btmp, [])
  expect(await look()).toEqual([])
  await host.append('/var/log/btmp', record({ type: 6, user: 'root', host: '10.0.0.9', line: 'ssh:notty' }))
  expect(await look()).toEqual([
    {
      type: 6,
      PID: 42,
      line: 'ssh:notty',
      inittab: 'ts/0',
      user: 'root',
      hostname: '10.0.0.9',
      exit_status: 0,
      session: 7,
      time: 1700000000,
      addr: 0,
    },
  ])
  expect(await look()).toEqual([])
})

test('a record that is not whole yet is read when it is, and a file that was emptied from its beginning', async () => {
  const host = await machine('/var/log/btmp')
  const look = lookingOn(host, btmp, [])
  await look()
  const whole = record({ user: 'late' })
  await host.append('/var/log/btmp', whole.subarray(0, 100))
  expect(await look()).toEqual([])
  await host.append('/var/log/btmp', whole.subarray(100))
  expect(await look()).toMatchObject([{ user: 'late' }])
  await host.truncate('/var/log/btmp', 0)
  expect(await look()).toEqual([])
  await host.append('/var/log/btmp', record({ user: 'new' }))
  expect(await look()).toMatchObject([{ user: 'new' }])
})

test('a logout is reported with the user who logged in on the line', async () => {
  const host = await machine('/var/log/wtmp')
  const look = lookingOn(host, wtmp, [])
  await look()
  await host.append('/var/log/wtmp', record({ type: 7, user: 'ann', line: 'pts/1' }))
  await host.append('/var/log/wtmp', record({ type: 8, user: '', line: 'pts/1' }))
  expect(await look()).toMatchObject([
    { action: 'login', user: 'ann' },
    { action: 'logout', user: 'ann' },
  ])
})

test.each<[string, Plain, string[]]>([
  ['only of users that are named', [{ users: { ann: {} } }], ['ann']],
  ['only of users without a range of their own', [{ users: { ann: null, bob: null } }], ['ann', 'bob']],
  ['of members of a group', [{ groups: { wheel: {} } }], ['bob']],
  ['at no time of the day', [{ defaults: { time_range: { start: '23:59', end: '0:00' } } }, { users: {} }], []],
  ['at any time of the day', [{ defaults: { time_range: { start: '12am', end: '11:59pm' } } }], ['ann', 'bob', 'eve']],
  [
    'in a range of a user that counts before the usual one',
    [
      { users: { eve: { time_range: { start: '0:00', end: '23:59' } } } },
      { defaults: { time_range: { start: '23:59', end: '0:00' } } },
    ],
    ['eve'],
  ],
])('logins are reported %s', async (_name, config, users) => {
  const host = await machine('/var/log/wtmp')
  const look = lookingOn(host, wtmp, config, {
    'group.info': () => fromPlain({ name: 'wheel', members: ['bob'] }),
  })
  await look()
  for (const user of ['ann', 'bob', 'eve']) await host.append('/var/log/wtmp', record({ user }))
  const told = ((await look()) as Array<{ user: string }>).map(({ user }) => user)
  expect(told).toEqual(users)
})

test.each<[BeaconDeclaration, Plain, string | undefined]>([
  [btmp, [], undefined],
  [btmp, [{ users: { ann: {} } }], undefined],
  [btmp, [{ users: ['ann'] }], 'User configuration for btmp beacon must be a dictionary.'],
  [wtmp, [{ groups: ['ann'] }], 'Group configuration for wtmp beacon must be a dictionary.'],
  [wtmp, [{ defaults: [] }], 'Defaults configuration for wtmp beacon must be a dictionary.'],
  [
    btmp,
    [{ users: { ann: { time_range: { start: '8am' } } } }],
    'The time_range parameter for btmp beacon must contain start & end options.',
  ],
  [
    wtmp,
    [{ defaults: { time_range: { end: '8am' } } }],
    'The time_range parameter for wtmp beacon must contain start & end options.',
  ],
])('a configuration of logins is judged as Salt judges it (%#)', (beacon, config, problem) => {
  expect(beacon.validate(beaconOptions(fromPlain(config)), () => true)).toBe(problem)
})
