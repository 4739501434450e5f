import { describe, expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import groupadd from './groupadd.module.ts'
import useradd from './useradd.module.ts'

const user = {
  name: 'web',
  passwd: 'x',
  uid: 1001,
  gid: 100,
  gecos: 'Web,12,,,a,b',
  home: '/home/web',
  shell: '/bin/sh',
}
const groups = [
  { name: 'users', passwd: 'x', gid: 100, members: [] },
  { name: 'www', passwd: 'x', gid: 33, members: ['web'] },
]
const BIN = { text: '', mode: 0o755 }
const files = { '/usr/bin/useradd': BIN, '/usr/bin/usermod': BIN, '/usr/bin/groupadd': BIN, '/usr/bin/gpasswd': BIN }

/** Runs a function on Linux and gives its answer with the commands it ran. */
async function trial(module: typeof useradd, fun: string, args: Value[], kwargs: Record<string, Value> = {}) {
  const host = await MemoryHost.with({ users: [user], groups, files })
  const commands: string[] = []
  const run =
    (answer: Value) =>
    ([command]: readonly Value[]): Value => {
      commands.push((command as Value[]).join(' '))
      return answer
    }
  const others = {
    'cmd.run': run(''),
    'cmd.retcode': run(0),
    'cmd.run_all': run(new Map<Value, Value>([['retcode', 0]]).set('stderr', '')),
  }
  const grains = new Map([['kernel', 'Linux']])
  const answer = await tryFunction(module, fun, { args, kwargs, host, grains, others })
  return { answer, commands }
}

describe('users', () => {
  test('are returned with their groups and the parts of their comment', async () => {
    const { answer } = await trial(useradd, 'info', ['web'])
    expect(Object.fromEntries(answer as Map<string, Value>)).toEqual({
      ...{
        gid: 100,
        groups: ['users', 'www'],
        home: '/home/web',
        name: 'web',
        passwd: 'x',
        shell: '/bin/sh',
        uid: 1001,
      },
      ...{ fullname: 'Web', roomnumber: '12', workphone: '', homephone: '', other: 'a,b' },
    })
  })

  test.each<[string, Value[], Record<string, Value>, string[]]>([
    ['add', ['new'], {}, ['/usr/bin/useradd -m new']],
    [
      'add',
      ['new', 7, 'users'],
      { system: true, createhome: false, unique: false },
      ['/usr/bin/useradd -u 7 -g users -M -o -r new'],
    ],
    [
      'add',
      ['new'],
      { usergroup: false, nologinit: true, home: '/h', root: '/mnt' },
      ['/usr/bin/useradd -N -m -l -d /h new -R /mnt'],
    ],
    ['chshell', ['web', '/bin/sh'], {}, []],
    ['chhome', ['web', '/srv', true], {}, ['/usr/bin/usermod -m -d /srv web']],
    ['chroomnumber', ['web', 13], {}, ['/usr/bin/usermod -c Web,13,,,a,b web']],
    ['chgroups', ['web', 'users,www'], {}, []],
    ['chgroups', ['web', ['adm']], { append: true }, ['/usr/bin/usermod -a -G adm web']],
  ])('user.%s %j %j runs %j', async (fun, args, kwargs, wanted) => {
    expect((await trial(useradd, fun, args, kwargs)).commands).toEqual(wanted)
  })

  test('that are missing are named', async () => {
    await expect(trial(useradd, 'chuid', ['nobody', 5])).rejects.toThrow("User 'nobody' does not exist")
  })
})

test.each<[string, Value[], Record<string, Value>, string[]]>([
  ['add', ['g', 7], { system: true, non_unique: true }, ['/usr/bin/groupadd -g 7 -o -r g']],
  ['adduser', ['www', 'web'], {}, ['/usr/bin/gpasswd --add web www']],
  ['deluser', ['www', 'other'], {}, []],
  ['deluser', ['www', 'web'], { root: '/mnt' }, ['/usr/bin/gpasswd --del web www --root /mnt']],
  ['members', ['www', 'a,b'], {}, ['/usr/bin/gpasswd --members a,b www']],
])('group.%s %j %j runs %j', async (fun, args, kwargs, wanted) => {
  expect((await trial(groupadd, fun, args, kwargs)).commands).toEqual(wanted)
})
