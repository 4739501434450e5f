import { describe, expect, test } from 'vitest'
import { fromPlain, type Value } from '../../../../data/mod.ts'
import { createWords } from './options.ts'

const words = (options: Record<string, unknown>) =>
  createWords(new Map(Object.entries(options).map(([name, value]) => [name, fromPlain(value) as Value])))

describe('options of a container', () => {
  test.each<[Record<string, unknown>, string[]]>([
    [{ environment: [{ A: 1 }, { B: 'x y' }] }, ['--env=A=1', '--env=B=x y']],
    [{ env: { A: '' } }, ['--env=A=']],
    [{ env: 'A=1,B=2' }, ['--env=A=1', '--env=B=2']],
    [{ binds: '/a:/b:ro,/c:/d' }, ['--volume=/a:/b:ro', '--volume=/c:/d']],
    [{ port_bindings: ['8080:80', '127.0.0.1:53:53/udp'] }, ['--publish=8080:80', '--publish=127.0.0.1:53:53/udp']],
    [{ ports: [80, '443/tcp'] }, ['--expose=80', '--expose=443/tcp']],
    [{ restart_policy: 'on-failure:5' }, ['--restart=on-failure:5']],
    [{ restart_policy: { Name: 'on-failure', MaximumRetryCount: 3 } }, ['--restart=on-failure:3']],
    [{ links: { db: 'database' } }, ['--link=db:database']],
    [{ extra_hosts: ['h:10.0.0.1'] }, ['--add-host=h:10.0.0.1']],
    [{ privileged: true, tty: false }, ['--privileged=true', '--tty=false']],
    [{ mem_limit: '512m', cap_add: ['NET_ADMIN'], user: null }, ['--memory=512m', '--cap-add=NET_ADMIN']],
    [{ labels: ['a=b', 'c'] }, ['--label=a=b', '--label=c']],
  ])('%j are %j', (options, flags) => {
    expect(words(options).flags).toEqual(flags)
  })

  test('a command is split into words, after what is left of the entry point', () => {
    expect(words({ entrypoint: 'sh -c', command: "echo 'a b'" })).toEqual({
      flags: ['--entrypoint=sh'],
      command: ['-c', 'echo', 'a b'],
      unknown: [],
    })
  })

  test('unknown ones are reported', () => {
    expect(words({ colour: 'red', __id__: 'x' }).unknown).toEqual(['colour'])
  })
})
