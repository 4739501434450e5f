// salt-cloud with a cloud provider of a Salt extension, beside a real master: queries, machines, events, actions, functions and undo.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { saltCloud } from '../../src/cli/cloud/main.ts'
import { toPlain } from '../../src/data/mod.ts'
import { CLOUD_PROVIDER, PackageFolder } from '../extensions/packages.ts'
import { type TestMaster, TestSite } from './site.ts'

const TOKEN = 'a-token-that-nobody-sees'

let packages: PackageFolder
let site: TestSite
let master: TestMaster
let machines: string

beforeAll(async () => {
  packages = new PackageFolder()
  packages.use()
  packages.install('clouded', { 'clouds/filed.py': CLOUD_PROVIDER })
  site = await TestSite.open()
  master = await site.master('master', '127.0.0.1', { auto_accept: false, keysize: 2048 })
  machines = join(site.root, 'machines')
  const write = (name: string, content: object): void => {
    mkdirSync(join(master.config, name, '..'), { recursive: true })
    writeFileSync(join(master.config, name), JSON.stringify(content), { mode: 0o600 })
  }
  mkdirSync(join(master.config, 'cloud.deploy.d'))
  writeFileSync(join(master.config, 'cloud.deploy.d', 'own.sh'), '#!/bin/sh\n')
  write('cloud', { cachedir: join(site.root, 'cloud') })
  write('cloud.providers.d/filed.conf', {
    one: { driver: 'filed', folder: join(machines, 'one'), api_token: TOKEN },
    two: { driver: 'filed', folder: join(machines, 'two'), api_token: TOKEN },
  })
  const base = { provider: 'one', image: 'debian', deploy: false }
  write('cloud.profiles.d/web.conf', {
    web: base,
    false: { ...base, fail: 'false' },
    raises: { ...base, fail: 'no room left' },
    exits: { ...base, fail: 'exit' },
    reached: { ...base, deploy: true, ssh_connect_timeout: 1, ssh_port: 9, script: 'own.sh' },
  })
})
afterAll(async () => {
  await site.close()
  packages.remove()
})
beforeEach(() => {
  rmSync(machines, { recursive: true, force: true })
  master.seen.splice(0)
})

async function cloud(...words: string[]): Promise<{ status: number; out: unknown; err: string }> {
  let [out, err] = ['', '']
  const streams = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    terminal: false,
  }
  const questions = { isTerminal: false, ask: async () => 'y', close: () => {} }
  const status = await saltCloud(['-c', master.config, '--out=json', ...words], streams, { questions })
  return { status, out: out.startsWith('{') ? JSON.parse(out) : out, err }
}

const made = (): string[] => (existsSync(join(machines, 'one')) ? readdirSync(join(machines, 'one')) : [])

describe('a cloud provider of an extension', () => {
  it('makes a machine, shows it, and destroys it', async () => {
    const first = await cloud('-p', 'web', 'web1')
    expect(first).toMatchObject({ status: 0, err: '' })
    expect(first.out).toMatchObject({
      web1: { id: 'i-web1', image: 'debian', public_ips: ['127.0.0.1'], alias: 'one:filed' },
    })
    const { data } = await master.event(/^salt\/cloud\/web1\/requesting$/)
    expect(toPlain(data)).toMatchObject({ event: 'now requesting', name: 'web1', profile: 'web', driver: 'one:filed' })
    await master.event(/^salt\/cloud\/web1\/created$/)
    const tags = master.seen.map(({ tag }) => tag).filter((tag) => tag.startsWith('salt/cloud/web1/'))
    expect(tags).toEqual(['salt/cloud/web1/creating', 'salt/cloud/web1/requesting', 'salt/cloud/web1/created'])
    expect((await cloud('-F')).out).toMatchObject({
      one: { filed: { web1: { state: 'running', alias: 'one:filed' } } },
    })
    expect((await cloud('-d', '-y', 'web1')).out).toEqual({ one: { filed: { web1: { web1: 'gone' } } } })
    expect(made()).toEqual([])
  })

  it('runs actions and functions with the settings of their provider, and lists images', async () => {
    await cloud('-p', 'web', 'web1')
    expect((await cloud('-y', '-a', 'show_instance', 'web1')).out).toMatchObject({
      one: { filed: { web1: { id: 'i-web1' } } },
    })
    const asked = await cloud('-f', 'quota', 'two', 'region=north')
    expect(asked.out).toMatchObject({ two: { filed: { quota: { asked: { region: 'north' } } } } })
    expect((await cloud('--list-images', 'two')).out).toEqual({ two: { filed: { debian: { name: 'debian' } } } })
    expect((await cloud('-f', 'quotum', 'two')).err).toContain("Did you mean 'quota'?")
  })

  it.each([
    ['false', 'did not make web1'],
    ['raises', 'no room left'],
    ['exits', 'ended with status 3'],
    ['reached', 'lets nobody in'],
  ])('that fails (%s) leaves no machine', async (profile, reason) => {
    const failed = await cloud('-p', profile, 'web1')
    expect(failed.status).not.toBe(0)
    expect(failed.err).toContain(reason)
    expect(made()).toEqual([])
    await master.event(/^salt\/cloud\/web1\/destroyed$/)
  })
})
