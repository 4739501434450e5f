import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import dig from '../dig/module.ts'
import { connections } from '../network/module/sockets.ts'
import { parseZone } from './module/zone.ts'

const ANSWERS: Record<string, string> = {
  'mail.example A': '192.0.2.1\nalias.example.\n192.0.2.2',
  'example MX': '10 mail.example.',
  'mail.example. A': '192.0.2.1',
  'example TXT': '"v=spf1 ip4:192.0.2.0/24 include:more.example ~all"',
  'more.example SPF': '"v=spf1 redirect=far.example"',
  'far.example SPF': '"v=spf1 ip6:2001:db8::/32"',
}

test.each<[string, Record<string, Value>, unknown]>([
  ['A', { host: 'mail.example' }, ['192.0.2.1', '192.0.2.2']],
  ['MX', { domain: 'example', resolve: true }, [['10', '192.0.2.1']]],
  ['SPF', { domain: 'example' }, ['192.0.2.0/24', '2001:db8::/32']],
  ['AAAA', { host: 'fails' }, []],
  ['check_ip', { addr: '192.0.2.1/33' }, false],
])('dig.%s %o answers %o', async (name, kwargs, wanted) => {
  const others = {
    'cmd.run_all': ([cmd]: readonly Value[]) => {
      // dig +short -q NAME -t TYPE
      const [, , , name, , type] = cmd as string[]
      const words = `${name} ${type}`
      return fromPlain({ retcode: words.startsWith('fails') ? 9 : 0, stdout: ANSWERS[words] ?? '', stderr: '' })
    },
  }
  expect(toPlain(await tryFunction(dig, name, { kwargs, others }))).toEqual(wanted)
})

test('a zone file is read into its parts', () => {
  const zone = '$TTL 1D\n@ 60 IN SOA ns. me.example. (\n 7 ; serial\n 1H 2H 9W 1D )\nwww 300 IN A 192.0.2.1\n'
  expect(toPlain(parseZone(`$ORIGIN example.\n${zone}`))).toEqual({
    TTL: '1D',
    ORIGIN: 'example.',
    NETWORK: 'IN',
    SOURCE: 'ns.',
    CONTACT: 'me@example.',
    SERIAL: '7',
    REFRESH: 3600,
    RETRY: 7200,
    EXPIRE: 604800,
    MINTTL: 86400,
    A: { 'www.example.': { TARGET: '192.0.2.1', TTL: '300' } },
  })
})

test('connections are read from the tables of the kernel', async () => {
  const head = '  sl  local_address rem_address   st\n'
  const mapped = '0000000000000000FFFF00000100007F'
  const host = await MemoryHost.with({
    files: {
      '/proc/net/tcp': `${head} 0: 0100007F:0016 0200007F:C001 01\n 1: 00000000:0016 00000000:0000 0A\n`,
      '/proc/net/tcp6': `${head} 0: ${mapped}:0050 ${mapped}:C002 01\n`,
    },
  })
  const found = await connections({ grains: new Map([['kernel', 'Linux']]), host } as never)
  expect(toPlain([...found.values()])).toEqual([
    { local_addr: '127.0.0.1', local_port: 22, remote_addr: '127.0.0.2', remote_port: 49153 },
    { local_addr: '127.0.0.1', local_port: 80, remote_addr: '127.0.0.1', remote_port: 49154 },
  ])
})
