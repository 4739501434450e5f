import { describe, expect, test } from 'vitest'
import { type Dict, dumpJson, fromPlain, type Plain, type Value } from '../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { LocalPillar } from './local-pillar.ts'

const ROOTS = { base: ['/srv/pillar'] }

async function compile(files: Record<string, MemoryFile>, opts: Plain = {}, request = {}) {
  const host = await MemoryHost.with({
    files,
    commands: [({ argv }) => (argv.at(-1) === 'inventory web1' ? 'tier: front\nport: 1\n' : undefined)],
  })
  const options = fromPlain({ id: 'web1', pillar_roots: ROOTS, ...(opts as object) }) as Dict
  const grains: Dict = new Map<Value, Value>([['os', 'Debian']])
  const registry = new Registry(moduleTable, { opts: options, grains, pillar: new Map(), host })
  return new LocalPillar({ opts: options, grains, host, registry }).compile(request)
}

const TOP = "base:\n  '*': [web]\n"

describe('pillar', () => {
  test('comes from the SLS files a top file names, includes below what includes them', async () => {
    const { pillar } = await compile({
      '/srv/pillar/top.sls': TOP,
      '/srv/pillar/web.sls': "include:\n  - ports: {key: 'net:ports', defaults: {n: 80}}\nname: {{ grains.os }}\n",
      '/srv/pillar/ports.sls': 'http: {{ n }}\n',
    })
    expect(dumpJson(pillar)).toBe('{"net": {"ports": {"http": 80}}, "name": "Debian"}')
  })

  test('shows the options of the master without the secrets of its cluster', async () => {
    const secrets = {
      cluster_secret: 'long and secret',
      cluster_nats: { password: 'secret' },
      cluster_key_pass: 'secret',
    }
    const { pillar } = await compile({}, { pillar_opts: true, cluster_id: 'production', ...secrets })
    expect(dumpJson(pillar)).toContain('production')
    expect(dumpJson(pillar)).not.toContain('secret')
  })

  test('keeps the compiled part and reports errors', async () => {
    const { pillar } = await compile({
      '/srv/pillar/top.sls': "base:\n  '*': [bad, good, gone]\n",
      '/srv/pillar/bad.sls': 'a: {{ nope }}\n',
      '/srv/pillar/good.sls': 'ok: 1\n',
    })
    expect(pillar.get('ok')).toBe(1)
    expect(pillar.get('_errors')).toEqual([
      "Rendering SLS 'bad' failed. Please see master log for details.",
      "Specified SLS 'gone' in environment 'base' is not available on the salt master",
    ])
  })

  test('ends when an SLS includes itself by ever longer names', async () => {
    const { pillar } = await compile({
      '/srv/pillar/top.sls': TOP,
      '/srv/pillar/web/init.sls': 'include: [.]\nname: {{ sls }}\n',
    })
    expect(pillar.get('name')).toBe('web')
    expect(dumpJson(pillar.get('_errors')!)).toMatch(/^\["Rendering SLS 'web\.+' failed\./)
  })

  test('names the renderer that cannot decrypt its input', async () => {
    const request = { override: new Map([['a', 'b']]), overrideEncoding: 'zz' }
    await expect(compile({}, { decrypt_pillar_renderers: ['gpg'] }, request)).rejects.toThrow(
      "Failed to decrypt pillar override: 'zz' is not a valid decryption renderer. Valid choices are: gpg",
    )
  })

  test('takes data from commands on the machine it is compiled on', async () => {
    const opts = { ext_pillar: [{ cmd_yaml: 'inventory %s' }] }
    const { pillar } = await compile({ '/srv/pillar/top.sls': TOP, '/srv/pillar/web.sls': 'port: 2\n' }, opts)
    expect(dumpJson(pillar)).toBe('{"port": 1, "tier": "front"}')
  })
})

describe('the origins of a pillar value', () => {
  const files = {
    '/srv/pillar/top.sls': "base:\n  '*': [web, late]\n",
    '/srv/pillar/web.sls': '{% set n = 1 %}\n\nweb:\n  port: {{ n }}\ninclude:\n  - sub: {key: web}\n',
    '/srv/pillar/sub.sls': '{# note #}\nport: 5\n',
    '/srv/pillar/late.sls': 'other: 1\n',
  }

  test('are all files that give it, in the order they are merged, with their lines', async () => {
    const { origins } = await compile(files)
    expect(origins(['web', 'port'])).toEqual([
      { source: 'sls sub in base', file: '/srv/pillar/sub.sls', line: 2, value: 5 },
      { source: 'sls web in base', file: '/srv/pillar/web.sls', line: 4, value: 1 },
    ])
    expect(origins(['nope'])).toEqual([])
  })

  test('include external sources and the command line', async () => {
    const override = new Map([['port', 9]])
    const { origins } = await compile(files, { ext_pillar: [{ cmd_yaml: 'inventory %s' }] }, { override })
    expect(origins(['port']).map(({ source, value }) => [source, value])).toEqual([
      ['ext_pillar cmd_yaml', 1],
      ['command line', 9],
    ])
  })
})
