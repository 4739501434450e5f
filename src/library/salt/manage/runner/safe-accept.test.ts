import { expect, test } from 'vitest'
import { silentLog } from '../../../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../../../data/mod.ts'
import { MemoryHost } from '../../../../host/mod.ts'
import type { MasterContext } from '../../../../sdk/mod.ts'
import { safeAccept } from './safe-accept.ts'

const FINGER = Array(32).fill('ab').join(':')
const OTHER = Array(32).fill('cd').join(':')

interface Site {
  answers: Record<string, string>
  keys?: Record<string, Record<string, string>>
  programs?: Record<string, string>
}

/** Run the function; return the accepted and other minions, the command and the keys. */
async function accept({ answers, keys = {}, programs = { '/usr/bin/salt-ssh': '', '/etc/salt/roster': '' } }: Site) {
  const accepted: Value[] = []
  const commands: string[][] = []
  let printed = ''
  const host = await MemoryHost.with({ files: programs })
  host.which = async (name) => (programs[`/usr/bin/${name}`] === undefined ? undefined : `/usr/bin/${name}`)
  host.run = async ({ argv }) => {
    commands.push([...argv])
    return { code: 0, stdout: Buffer.from(JSON.stringify(answers)), stderr: Buffer.from('') } as never
  }
  const wheel = async (name: string, [id]: readonly Value[] = []): Promise<Value> => {
    if (name === 'key.accept') accepted.push(id!)
    return fromPlain(keys as Plain)
  }
  const ctx = {
    opts: new Map([['conf_file', '/etc/salt/master']]) as Dict,
    host,
    log: silentLog,
    wheel,
    keys: { list: () => Object.keys(keys['minions'] ?? {}) },
    print: (text: string) => void (printed += text),
    progress: async () => undefined,
  } as unknown as MasterContext
  const [good, bad] = await safeAccept(ctx, 'web*', 'pcre')
  return { good: toPlain(good), bad: toPlain(bad), accepted, commands, printed }
}

test('A pending key that equals the one on its machine is accepted', async () => {
  const { good, bad, accepted, commands } = await accept({
    answers: { web1: FINGER },
    keys: { minions_pre: { web1: FINGER } },
  })
  expect({ good, bad, accepted }).toEqual({ good: { web1: FINGER }, bad: {}, accepted: ['web1'] })
  expect(commands).toEqual([
    ['/usr/bin/salt-ssh', '-c', '/etc/salt', '--static', '--out', 'json', '-E', 'web*', 'key.finger'],
  ])
})

test.each<[string, Site, Plain]>([
  [
    'another key',
    { answers: { web1: OTHER }, keys: { minions_pre: { web1: FINGER } } },
    `Minion key ${OTHER} does not match the key in salt-key: ${FINGER}`,
  ],
  ['no key', { answers: { web1: FINGER } }, 'Minion key web1 not found by salt-key'],
  ['no answer', { answers: { web1: 'Permission denied' } }, 'Permission denied'],
])('A machine with %s is reported, and nothing is accepted', async (_what, site, message) => {
  const { bad, accepted, printed } = await accept(site)
  expect({ bad, accepted }).toEqual({ bad: { web1: message }, accepted: [] })
  expect(printed).toBe(`safe_accept failed on the following minions:\nweb1\n----\n${message}\n\n`)
})

test('Keys that were accepted before are left out', async () => {
  const { good, bad } = await accept({ answers: { web1: FINGER }, keys: { minions: { web1: FINGER } } })
  expect([good, bad]).toEqual([{}, {}])
})

test('Without salt-ssh it says so', async () => {
  await expect(accept({ answers: {}, programs: { '/etc/salt/roster': '' } })).rejects.toThrow('salt-ssh')
})

test('Without a roster no machine is queried', async () => {
  const { good, bad, commands } = await accept({ answers: {}, programs: {} })
  expect([good, bad, commands]).toEqual([{}, {}, []])
})
