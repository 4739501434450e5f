// salt-cloud with a driver whose machines are files, beside a real master: files of the configuration, machines, maps, events and undo.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { saltCloud } from '../../src/cli/cloud/main.ts'
import { configSources } from '../../src/cli/config-sources.ts'
import { callOverSsh } from '../../src/cli/over-ssh.ts'
import { openCloud } from '../../src/cloud/mod.ts'
import { clientConfig } from '../../src/config/mod.ts'
import { fromPlain, toPlain, type Value } from '../../src/data/mod.ts'
import { runMasterFunction, socketAccess } from '../../src/runner/mod.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const SEEDS = join(import.meta.dirname, '..', 'seeds', 'dns')

let site: TestSite
let master: TestMaster
let machines: string

beforeAll(async () => {
  site = await TestSite.open()
  master = await site.master('master', '127.0.0.1', { auto_accept: false, keysize: 2048 })
  machines = join(site.root, 'machines')
  const write = (name: string, text: string): void => {
    mkdirSync(join(master.config, name, '..'), { recursive: true })
    writeFileSync(join(master.config, name), text)
  }
  write('cloud', `cachedir: ${site.root}/cloud\nenable_hard_maps: True\nupdate_cachedir: True\n`)
  write(
    'cloud.providers.d/disk.conf',
    `#!jinja|yaml
disk:
  driver: disk
  folder: ${machines}
  key: {{ 'very-' ~ 'secret-key' }}
`,
  )
  write(
    'cloud.profiles.d/web.conf',
    `
base:
  provider: disk
  image: debian
  deploy: False
  minion: {log_level: debug}
web:
  extends: base
  size: large
key:
  extends: base
  deploy: True
  package: ${join(master.config, 'master')}
  script: none.sh
centos7-prod:
  extends: base
`,
  )
})
afterAll(() => site.close())
beforeEach(() => {
  rmSync(machines, { recursive: true, force: true })
  master.seen.splice(0)
})

interface Ended {
  status: number
  out: string
  err: string
}

async function cloud(...words: string[]): Promise<Ended> {
  const ended: Ended = { status: -1, out: '', err: '' }
  const streams = {
    out: (text: string) => void (ended.out += text),
    err: (text: string) => void (ended.err += text),
    terminal: false,
  }
  const asked = { isTerminal: false, ask: async () => answer, close: () => {} }
  ended.status = await saltCloud(['-c', master.config, '--out=json', ...words], streams, { questions: asked, drivers })
  return ended
}
let answer: string | undefined

const drivers = { disk: () => import('../cloud/disk-driver.ts') }

const made = (): string[] =>
  existsSync(machines) ? readdirSync(machines).filter((name) => name.endsWith('.json')) : []
const tags = (): string[] => master.seen.map(({ tag }) => tag).filter((tag) => tag.startsWith('salt/cloud/'))

describe('salt-cloud', () => {
  it('does what the document prints', async () => {
    for (const line of readFileSync(join(SEEDS, 'commands.sh'), 'utf8').split('\n')) {
      const [program, ...words] = line.split(' ')
      answer = 'y'
      if (program === 'salt-cloud') expect((await cloud(...words)).status).toBe(0)
      if (words[0] === '-p') expect(made()).toEqual(['jmtest1.json'])
    }
    expect(made()).toEqual([])
    expect(toPlain((await master.event(/^salt\/cloud\/jmtest1\/destroyed$/)).data)).toMatchObject({
      name: 'jmtest1',
      event: 'destroyed instance',
    })
  })

  it('makes a machine of a profile, and says so the second time', async () => {
    const first = await cloud('-p', 'web', 'web1')
    expect(first).toMatchObject({ status: 0, err: '' })
    expect(JSON.parse(first.out)).toMatchObject({
      web1: {
        id: 'id-web1',
        image: 'debian',
        size: 'large',
        state: 'running',
        Error: { 'No Deploy': "'deploy' is not enabled. Not deploying." },
      },
    })
    await master.event(/^salt\/cloud\/web1\/created$/)
    expect(tags()).toEqual(['creating', 'requesting', 'created'].map((what) => `salt/cloud/web1/${what}`))
    const requesting = toPlain(master.seen.find(({ tag }) => tag.endsWith('/requesting'))!.data)
    expect(requesting).toMatchObject({ name: 'web1', event: 'requesting instance', kwargs: { image: 'debian' } })
    expect(JSON.stringify(master.seen.map(({ data }) => toPlain(data)))).not.toContain('very-secret-key')
    const second = await cloud('-p', 'web', 'web1')
    expect({ status: second.status, out: JSON.parse(second.out) }).toEqual({
      status: 0,
      out: { web1: { Error: 'web1 already exists under disk:disk' } },
    })
  })

  it('shows and destroys machines, after asking', async () => {
    await cloud('-p', 'web', 'web1', 'web2', '-P')
    expect(JSON.parse((await cloud('-Q')).out)).toEqual({
      disk: {
        disk: Object.fromEntries(
          ['web1', 'web2'].map((name) => [
            name,
            {
              id: `id-${name}`,
              image: 'debian',
              name,
              private_ips: [],
              public_ips: ['192.0.2.1'],
              size: 'large',
              state: 'running',
            },
          ]),
        ),
      },
    })
    expect(JSON.parse((await cloud('-F')).out).disk.disk.web1).toMatchObject({ token: expect.any(String), of: 'web' })
    answer = undefined
    const refused = await cloud('-d', 'web1')
    expect(refused.out).toContain('are set to be destroyed:\n  disk:\n    disk:\n      web1\n')
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('the question got no answer. Use -y') })
    answer = 'n'
    expect((await cloud('-d', 'web1')).status).toBe(0)
    expect(made()).toHaveLength(2)
    master.seen.splice(0)
    expect(JSON.parse((await cloud('-d', 'web1', '-y')).out)).toEqual({
      disk: { disk: { web1: { Destroyed: 'web1' } } },
    })
    expect(made()).toEqual(['web2.json'])
    const { data } = await master.event(/^salt\/cloud\/web1\/destroyed$/)
    expect(toPlain(data)).toMatchObject({ event: 'destroyed instance', name: 'web1' })
    const none = await cloud('-d', 'nosuch', '-y')
    expect(none).toMatchObject({ status: 1, out: 'No machines were found to be destroyed\n' })
  })

  it('reports machines that are created and destroyed outside of it', async () => {
    await cloud('-p', 'web', 'web1')
    rmSync(join(site.root, 'cloud', 'active'), { recursive: true })
    await cloud('-Q')
    await master.event(/^salt\/cloud\/web1\/cache_node_new$/)
    rmSync(join(machines, 'web1.json'))
    await cloud('-Q')
    await master.event(/^salt\/cloud\/web1\/cache_node_missing$/)
  })

  it('answers listings, actions and functions', async () => {
    await cloud('-p', 'web', 'web1')
    expect(JSON.parse((await cloud('--list-sizes', 'disk')).out)).toEqual({ disk: { disk: { small: { cpus: 1 } } } })
    expect((await cloud('--list-images', 'all')).status).toBe(1)
    expect(JSON.parse((await cloud('-a', 'resize', 'web1', 'size=huge', '-y')).out)).toEqual({
      disk: { disk: { web1: 'huge' } },
    })
    expect(JSON.parse((await cloud('-f', 'count', 'disk')).out)).toEqual({ disk: { disk: { count: 1 } } })
    expect(JSON.parse((await cloud('--list-providers')).out)).toEqual({ disk: { disk: {} } })
    expect(JSON.parse((await cloud('--list-profiles', 'disk')).out).disk.disk.web).toMatchObject({
      image: 'debian',
      provider: 'disk:disk',
    })
    expect((await cloud('-a', 'reseize', 'web1', '-y')).err).toContain(
      "has no action 'reseize'. Did you mean 'resize'?",
    )
    const some = await cloud('-a', 'resize', 'nosuch', 'web1', 'size=tiny', '-y')
    expect({ status: some.status, out: JSON.parse(some.out) }).toEqual({
      status: 1,
      out: {
        disk: { disk: { web1: 'tiny' } },
        'Not Found': ['nosuch'],
        'Not Actioned/Not Running': ['nosuch'],
      },
    })
    expect((await cloud('-p', 'web', 'web2', '-l', 'info')).err).toContain('salt/cloud/web2/created: created instance')
  })

  it('says at an interruption that what has begun is undone', async () => {
    const program = ['--import', 'tsx', join(import.meta.dirname, '..', 'cloud', 'salt-cloud.ts')]
    writeFileSync(join(master.config, 'cloud.profiles.d', 'slow.conf'), 'slow: {extends: base, hang_at: made}\n')
    const child = spawn(process.execPath, [...program, '-c', master.config, '-p', 'slow', 'slow1'])
    let err = ''
    child.stderr.on('data', (piece) => void (err += piece))
    try {
      await until('the machine is there', () => made().includes('slow1.json'))
      child.kill('SIGINT')
      await until('the interruption is told', () => err.includes('Interrupted: what has begun is undone'))
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(join(master.config, 'cloud.profiles.d', 'slow.conf'))
    }
    expect((await cloud('-Q')).status).toBe(0)
    expect(made()).toEqual([])
  })

  it.each([
    [['-Q', '-F'], 'mutually exclusive'],
    [['--list-sizes', 'all', '--list-images', 'all'], 'mutually exclusive'],
    [['-p', 'web', '-m', 'x'], 'mutually exclusive'],
    [['-H', '-p', 'web', 'web1'], '--hard is for a map'],
    [[], 'Nothing was done'],
  ])('refuses %j with 64', async (words, text) => {
    const { status, err } = await cloud(...words)
    expect(status).toBe(64)
    expect(err).toContain(text)
  })

  it.each([
    [['-p', 'nosuch', 'x1'], 'Profile nosuch is not defined'],
    [['-p', 'wbe', 'x1'], "Did you mean 'web'?"],
    [['-p', 'web', '../x'], 'is no name of a machine'],
    [['-p', 'key', 'x1'], "The deploy script 'none.sh' is in none of"],
    [['-f', 'count', 'nosuch'], "The cloud provider alias 'nosuch' was not found"],
  ])('fails with 1 for %j, and makes nothing', async (words, text) => {
    const { status, err, out } = await cloud(...words)
    expect(status).toBe(1)
    expect(err + out).toContain(text)
    expect(made()).toEqual([])
  })

  it('converges to a map, in the order of what machines require', async () => {
    const map = join(site.root, 'web.map')
    writeFileSync(
      map,
      `{% set n = 2 %}\nweb:\n{% for i in range(n) %}  - map{{ i }}: {size: tiny, requires: [db]}\n{% endfor %}base:\n  - db\n`,
    )
    answer = 'n'
    const asked = await cloud('-m', map)
    expect(asked.out).toContain('The following virtual machines are set to be created:\n  map0\n  map1\n  db\n')
    expect(made()).toEqual([])
    answer = 'y'
    expect((await cloud('-m', map, '-P')).status).toBe(0)
    expect(readFileSync(join(machines, 'steps.log'), 'utf8').split('\n')[0]).toBe('db before')
    expect(JSON.parse(readFileSync(join(machines, 'map0.json'), 'utf8'))).toMatchObject({
      size: 'tiny',
      image: 'debian',
    })
    await cloud('-p', 'web', 'extra')
    const again = await cloud('-m', map)
    expect(JSON.parse(again.out).map0).toEqual({ Message: 'Already running.' })
    expect((await cloud('-m', map, '--hard', '-y')).status).toBe(0)
    expect(made()).toEqual(['db.json', 'map0.json', 'map1.json'])
  })

  it('leaves nothing of a machine whose creation fails', async () => {
    const map = join(site.root, 'fail.map')
    writeFileSync(map, 'web:\n  - bad1: {fail_at: before}\n  - bad2: {fail_at: made}\n  - bad3: {fail_at: noted}\n')
    const { status, out } = await cloud('-m', map, '-P', '-y')
    expect(status).toBe(1)
    expect(JSON.parse(out).bad2).toEqual({ Error: 'no room for bad2' })
    expect(readdirSync(machines)).toEqual(['steps.log'])
    expect(readdirSync(join(site.root, 'cloud', 'creating'))).toEqual([])
    await master.event(/^salt\/cloud\/bad3\/destroyed$/)
  })

  it('removes after kill -9 what the killed run had made, and the key it had accepted', async () => {
    const program = ['--import', 'tsx', join(import.meta.dirname, '..', 'cloud', 'salt-cloud.ts')]
    const script = join(master.config, 'cloud.deploy.d', 'own.sh')
    mkdirSync(join(script, '..'), { recursive: true })
    writeFileSync(script, '#!/bin/sh\n')
    const map = join(site.root, 'hang.map')
    writeFileSync(map, 'key:\n  - hung: {hang_at: noted, script: own.sh}\n')
    const child = spawn(process.execPath, [...program, '-c', master.config, '-m', map, '-y'], { stdio: 'ignore' })
    await until('the machine is made', () => existsSync(join(machines, 'hung.volume')))
    const keys = async () => JSON.stringify(await master.wheel('key.list', ['accepted']))
    expect(await keys()).toContain('hung')
    const busy = await cloud('-p', 'web', 'hung')
    expect(busy).toMatchObject({ status: 0, out: expect.stringContaining('already exists') })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const after = await cloud('-Q')
    expect(after.err).toContain('An earlier run was ended while it created hung')
    expect(after.status).toBe(0)
    expect(readdirSync(machines)).toEqual(['steps.log'])
    expect(await keys()).not.toContain('hung')
  })
})

/** The state of the test provider, or machines by name. */
interface Answer {
  disk: { disk: Record<string, object> }
}

/** Call a runner function as salt-run does, with the driver of the tests. */
async function runner(fun: string, args: Value[] = [], kwargs: Record<string, unknown> = {}, caller?: string) {
  const opts = await clientConfig({ path: join(master.config, 'master') })
  const access = socketAccess(opts, silentLog, {
    overSsh: {
      ...callOverSsh,
      cloud: (own) => openCloud({ access: own, ...configSources, drivers, signal: new AbortController().signal }),
    },
  })
  try {
    const given = new Map(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
    const { value, retcode } = await runMasterFunction(access, {
      family: 'runner',
      fun,
      args,
      kwargs: given,
      user: 'root',
      ...(caller !== undefined && { caller: { kind: 'user', name: caller, proof: 'token' } }),
    })
    return { value: toPlain(value) as unknown as Answer, retcode }
  } finally {
    access.close()
  }
}

describe('the runner cloud', () => {
  it('makes, queries, changes and destroys machines', async () => {
    const first = await runner('cloud.profile', [], { prof: 'web', instances: 'r1,r2', vm_overrides: { size: 'odd' } })
    expect(first).toMatchObject({ retcode: 0, value: { r1: { size: 'odd' }, r2: { size: 'odd' } } })
    await runner('cloud.create', ['disk', 'r3'], { image: 'debian', deploy: false })
    for (const fun of ['cloud.query', 'cloud.full_query', 'cloud.select_query']) {
      expect(Object.keys((await runner(fun)).value.disk.disk)).toEqual(['r1', 'r2', 'r3'])
    }
    expect((await runner('cloud.action', ['resize'], { instance: 'r1', size: 'new' })).value).toEqual({
      disk: { disk: { r1: 'new' } },
    })
    expect((await runner('cloud.action', ['count'], { provider: 'disk' })).value).toEqual({
      disk: { disk: { count: 3 } },
    })
    expect((await runner('cloud.list_sizes', ['disk'])).value).toEqual({ disk: { disk: { small: { cpus: 1 } } } })
    for (const fun of ['cloud.list_images', 'cloud.list_locations']) expect((await runner(fun)).retcode).toBe(1)
    expect((await runner('cloud.list_providers')).value).toEqual({ disk: { disk: {} } })
    expect(Object.keys((await runner('cloud.list_profiles')).value.disk.disk)).toEqual([
      'base',
      'web',
      'key',
      'centos7-prod',
    ])
    const map_data = { web: ['r1', 'r4'] }
    expect((await runner('cloud.map_run', [], { map_data, test: true })).value).toEqual({
      create: ['r4'],
      existing: ['r1'],
      destroy: [],
    })
    expect((await runner('cloud.map_run', [], { map_data })).value).toMatchObject({
      r1: { Message: 'Already running.' },
      r4: { id: 'id-r4' },
    })
    expect((await runner('cloud.destroy', ['r1,r2,r3,r4'])).retcode).toBe(0)
    expect(made()).toEqual([])
    const gone = await runner('cloud.destroy', ['r1'])
    expect(gone).toMatchObject({ retcode: 1, value: expect.stringContaining('Not found: r1') })
  })

  it('lets callers with few rights reach no files, templates and secrets of the master', async () => {
    const map = join(site.root, 'own.map')
    writeFileSync(map, 'web:\n  - m1: {file_map: {/etc/shadow: /tmp/x}}\n')
    const outside = (fun: string, args: Value[], kwargs: Record<string, unknown>) => runner(fun, args, kwargs, 'ann')
    const refused = { retcode: 1, value: expect.stringContaining('cannot be') }
    for (const settings of [
      { userdata_file: '/etc/shadow' },
      { user_data_file: '/etc/shadow' },
      { ssh_public_key: '/etc/shadow' },
      { ssh_publickeyfile: '/etc/shadow' },
      { image: '/' },
      { ssh_host: 'db.example' },
      { ssh_gateway: 'ops@db.example' },
      { grains: { deep: ['sdb://bank/password'] } },
    ]) {
      expect(await outside('cloud.profile', ['web', 'm1'], { vm_overrides: settings })).toMatchObject(refused)
    }
    const settings = { userdata_file: '/etc/shadow' }
    expect(await outside('cloud.create', ['disk', 'm1'], { image: 'debian', ...settings })).toMatchObject(refused)
    expect(await outside('cloud.map_run', [], { map_data: { web: [{ m1: settings }] } })).toMatchObject(refused)
    const elsewhere = { image: 'debian', ssh_host: 'db.example' }
    expect(await outside('cloud.create', ['disk', 'm1'], elsewhere)).toMatchObject(refused)
    expect(await outside('cloud.map_run', [], { map_data: { web: [{ m1: elsewhere }] } })).toMatchObject(refused)
    expect(await outside('cloud.action', ['count'], { provider: 'disk', file: '/etc/shadow' })).toMatchObject(refused)
    expect(await outside('cloud.map_run', [map], { test: true })).toMatchObject(refused)
    expect(await outside('cloud.action', ['resize'], { cloudmap: map, size: 'x' })).toMatchObject(refused)
    const own = join(master.config, 'cloud.maps.d', 'own.map')
    mkdirSync(join(own, '..'), { recursive: true })
    writeFileSync(own, 'web:\n  - m1\n')
    expect((await outside('cloud.map_run', [own], { test: true })).retcode).toBe(0)
    // the id of a minion: its key would be removed with the machine
    const { keys } = master.opened.parts.stores
    keys.store('prod', { state: 'accepted', pub: 'the key of prod' })
    const taken = { retcode: 1, value: expect.stringContaining('accepted another key for the id prod') }
    expect(await outside('cloud.profile', ['web', 'prod'], {})).toMatchObject(taken)
    expect(await outside('cloud.map_run', [], { map_data: { web: ['prod'] } })).toMatchObject(taken)
    expect(keys.pem('minions', 'prod')).toBe('the key of prod')
    expect(made()).toEqual([])
  })

  it('shows no secrets of profiles', async () => {
    const file = join(master.config, 'cloud.profiles.d', 'secret.conf')
    writeFileSync(file, 'hidden:\n  extends: base\n  password: tell-nobody\n  userdata: tell-nobody\n')
    try {
      const { value } = await runner('cloud.list_profiles')
      expect(value.disk.disk).toHaveProperty('hidden')
      expect(JSON.stringify(value)).not.toContain('tell-nobody')
      expect((await cloud('--list-profiles', 'all')).out).not.toContain('tell-nobody')
    } finally {
      rmSync(file)
    }
  })

  it('serves states of an orchestration', async () => {
    const apply = (fun: string, kwargs: Record<string, unknown>) => runner('state.orchestrate_single', [fun], kwargs)
    const first = await apply('cloud.profile', { name: 'o1', profile: 'web' })
    expect(JSON.stringify(first.value)).toContain('Created instance o1 using profile web')
    expect(made()).toEqual(['o1.json'])
    expect(JSON.stringify((await apply('cloud.profile', { name: 'o1', profile: 'web' })).value)).toContain(
      'Already present instance o1',
    )
    expect(JSON.stringify((await apply('cloud.absent', { name: 'o1' })).value)).toContain('Destroyed instance o1')
    expect(made()).toEqual([])
  })
})

describe('files of salt-cloud', () => {
  const broken = async (file: string, text: string): Promise<string> => {
    const path = join(master.config, file)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    try {
      const { status, err } = await cloud('-Q')
      expect(status).toBe(1)
      return err
    } finally {
      rmSync(path)
    }
  }

  it('name file and line of what they extend and is not there, or extends them', async () => {
    const unknown = await broken('cloud.profiles.d/a.conf', '\na:\n  extends: wev\n')
    expect(unknown).toContain(
      `The profile 'a' extends the profile 'wev', which is not defined, in ${master.config}/cloud.profiles.d/a.conf, line 2`,
    )
    expect(unknown).toContain("Did you mean 'web'?")
    const circle = await broken('cloud.profiles.d/a.conf', 'a: {extends: b}\nb: {extends: a}\n')
    expect(circle).toContain('names extend each other')
    const provider = await broken('cloud.providers.d/b.conf', 'b: {extends: nosuch}\n')
    expect(provider).toContain("The provider 'b' extends the provider 'nosuch', which is not defined,")
    expect(await broken('cloud.providers.d/b.conf', 'b: {folder: /x}\n')).toContain("The provider 'b' names no driver")
    expect(await broken('cloud.providers.d/b.conf', 'b: [unclosed\n')).toContain('cloud.providers.d/b.conf')
  })

  it('can have several drivers under one alias, of which a profile names one', async () => {
    const path = join(master.config, 'cloud.providers.d', 'two.conf')
    writeFileSync(
      path,
      `two:\n  - {driver: disk, folder: ${machines}/2}\n  - {driver: saltify}\nthree: {extends: "two:disk", folder: ${machines}/3}\n`,
    )
    try {
      expect(JSON.parse((await cloud('--list-providers')).out)).toEqual({
        disk: { disk: {} },
        two: { disk: {}, saltify: {} },
        three: { disk: {} },
      })
      // saltify has no images: that is an error only if it is queried alone
      const listed = await cloud('--list-sizes', 'all')
      expect({ status: listed.status, two: JSON.parse(listed.out).two }).toEqual({
        status: 0,
        two: { disk: { small: { cpus: 1 } }, saltify: {} },
      })
      expect((await cloud('--list-images', 'two:saltify')).status).toBe(1)
      const both = join(site.root, 'both.map')
      writeFileSync(
        join(master.config, 'cloud.profiles.d', 'two.conf'),
        'both: {provider: two, image: i, deploy: False}\none: {provider: "two:disk", image: i, deploy: False}\n',
      )
      writeFileSync(both, 'both: [x1]\n')
      expect((await cloud('-m', both, '-y')).err).toContain('write one of two:disk, two:saltify')
      expect((await cloud('-p', 'one', 'x1')).status).toBe(0)
      expect(existsSync(join(machines, '2', 'x1.json'))).toBe(true)
    } finally {
      rmSync(path)
      rmSync(join(master.config, 'cloud.profiles.d', 'two.conf'))
    }
  })
})
