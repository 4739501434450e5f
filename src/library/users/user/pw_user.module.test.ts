import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import pwGroup from './pw_group.module.ts'
import pwUser from './pw_user.module.ts'

const user = { name: 'web', uid: 1001, gid: 80, gecos: 'Web,12', home: '/home/web', shell: '/bin/sh' }
const groups = [{ name: 'www', gid: 80, members: ['db'] }]

async function commands(module: typeof pwUser, fun: string, args: Value[], kwargs: Record<string, Value> = {}) {
  const host = await MemoryHost.with({ users: [user], groups })
  const ran: string[] = []
  const run =
    (answer: Value) =>
    (given: readonly Value[]): Value => {
      ran.push(Array.isArray(given[0]) ? (given[0] as Value[]).join(' ') : String(given[0]))
      return answer
    }
  const others = { 'cmd.run': run(''), 'cmd.retcode': run(0), 'file.group_to_gid': () => 80 }
  await tryFunction(module, fun, { args, kwargs, host, others })
  return ran
}

test.each<[string, Value[], Record<string, Value>, string[]]>([
  [
    'add',
    ['new', 7],
    { groups: ['a', 'b'], loginclass: 'staff', fullname: 'N' },
    ['pw useradd -u 7 -G a,b -m -L staff -c N,,, -n new'],
  ],
  ['delete', ['web', true], {}, ['pw userdel -r -n web']],
  ['chshell', ['web', '/bin/sh'], {}, []],
  ['chhome', ['web', '/srv', true], {}, ['pw usermod web -d /srv -m']],
  ['chroomnumber', ['web', 13], {}, ['pw usermod web -c Web,13,,']],
  ['chgroups', ['web', 'a'], { append: true }, ['pw usermod -G a,www -n web']],
])('user.%s %j %j runs %j', async (fun, args, kwargs, wanted) => {
  expect(await commands(pwUser, fun, args, kwargs)).toEqual(wanted)
})

test.each<[string, Value[], string[]]>([
  ['add', ['new', 7], ['pw groupadd -g 7  -n new']],
  ['deluser', ['www', 'db'], ['pw groupmod www -d db']],
  ['deluser', ['www', 'nobody'], []],
  ['members', ['www', 'a,b'], ['pw groupmod www -M a,b']],
  ['chgid', ['www', 80], []],
])('group.%s %j runs %j', async (fun, args, wanted) => {
  expect(await commands(pwGroup, fun, args)).toEqual(wanted)
})
