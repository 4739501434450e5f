import { expect, test } from 'vitest'
import { fromPlain, str, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import webutil from './module.ts'

test.each(['useradd', 'verify'])('%s hands the password over where no other user sees it', async (name) => {
  const host = await MemoryHost.with({ files: { '/usr/bin/htpasswd': { text: '', mode: 0o755 }, '/etc/htpasswd': '' } })
  const seen: string[] = []
  const run = ([argv]: readonly Value[], kwargs: ReadonlyMap<string, Value> | Record<string, Value>): Value => {
    const { stdin } = kwargs instanceof Map ? Object.fromEntries(kwargs) : (kwargs as Record<string, Value>)
    seen.push(...(argv as string[]), `stdin: ${str(stdin ?? null)}`)
    return fromPlain({ retcode: 0, stdout: '', stderr: '' })
  }
  await tryFunction(webutil, name, { host, args: ['/etc/htpasswd', 'joe', 'secret'], others: { 'cmd.run_all': run } })
  expect(seen).toEqual(['htpasswd', name === 'verify' ? '-iv' : '-i', '/etc/htpasswd', 'joe', 'stdin: secret'])
})
