import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from './command.ts'
import { assertFreePorts, DAEMONS, running, stopAll } from './up/daemons.ts'
import { freeSite } from './up/free-site.ts'
import { openSite } from './up/open-site.ts'
import { configOf, logOf, MASTER, programsOf, type Site, siteOf, writtenOf } from './up/site.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'brine-up-'))

const listening = (port: number): Promise<Server> =>
  new Promise((done) => {
    const server = createServer().listen(port, '127.0.0.1', () => done(server))
  })

/** The programs of the last build. */
const programs = async (from: string, to: string): Promise<void> => symlinkSync(join(from, 'dist'), to)

let site: Site

beforeAll(async () => {
  site = await freeSite(root, folder)
  const { already, events } = await openSite(site, programs)
  events.close()
  expect(already).toEqual([])
})

afterAll(async () => {
  await stopAll(site)
  rmSync(folder, { recursive: true, force: true })
})

async function ping(): Promise<unknown> {
  const { output } = await runCommand(root, join(site.bin, 'salt'), ['*', 'test.ping', '--out=json', '--static'])
  return JSON.parse(output)
}

test('the site answers a ping of all three minions', async () => {
  expect(await ping()).toEqual({ db1: true, web1: true, web2: true })
})

test('the site applies the sample tree below its own folder', async () => {
  const { code, output } = await runCommand(root, join(site.bin, 'salt'), [
    'web1',
    'state.apply',
    '--state-output=terse',
  ])
  expect(output).toContain('Succeeded: 7 (changed=7)')
  expect(code).toBe(0)
  expect(readFileSync(join(writtenOf(site), 'web1/var/lib/shop/count'), 'utf8').trim()).toBe('2')
})

test('the site has a command for every program', () => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(readdirSync(site.bin).sort()).toEqual(Object.keys(bin).sort())
})

test('the site serves a copy of the sample tree, to which modules can be added', async () => {
  const modules = join(site.folder, 'tree', 'salt', '_modules')
  mkdirSync(modules)
  writeFileSync(join(modules, 'till.mjs'), 'export function count() {\n  return 3\n}\n')
  const salt = (...words: string[]) => runCommand(root, join(site.bin, 'salt'), [...words, '--out=txt'])
  expect((await salt('web1', 'saltutil.sync_modules')).output).toBe("web1: ['modules.till']\n")
  expect((await salt('web1', 'till.count')).output).toBe('web1: 3\n')
})

test('a second start leaves the site as it is', async () => {
  const before = DAEMONS.map((name) => running(site, name))
  const { already, events } = await openSite(site, programs)
  events.close()
  expect(already).toEqual(DAEMONS)
  expect(DAEMONS.map((name) => running(site, name))).toEqual(before)
})

test('a second master with the same configuration says so and disturbs nothing', async () => {
  const words = [join(programsOf(site), 'salt-master.js'), '-c', configOf(site, MASTER)]
  const { code, output } = await runCommand(root, process.execPath, words)
  expect(output).toMatch(/Already running: another daemon \(pid \d+\) uses .*master_event_pub\.ipc/)
  expect(code).toBe(1)
  expect(await ping()).toEqual({ db1: true, web1: true, web2: true })
})

test('a port that is taken is named with a way out', async () => {
  const server = await listening(0)
  const { port } = server.address() as { port: number }
  const taken = assertFreePorts(siteOf(root, port, folder))
  await expect(taken).rejects.toThrow(new RegExp(`Port ${port} of 127.0.0.1 is taken; .*npm run up -- --port=`))
  await new Promise((done) => server.close(done))
})

test('daemons log nothing but the signal that ends them', async () => {
  await stopAll(site)
  for (const name of DAEMONS) {
    const program = name === MASTER ? 'salt-master' : 'salt-minion'
    expect(readFileSync(logOf(site, name), 'utf8')).toBe(`[WARNING ] ${program} received SIGTERM, exiting\n`)
  }
})
