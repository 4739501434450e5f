// A connection that dies in the middle of a state run over SSH: the program says so, reports no success that the target does not have,
// and the next run brings the target to the end, with nothing of the cut session left on it. BRINE_SSH_CUTS says how often it dies,
// BRINE_SSH_SEED when.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noSshd, startSshd, type TestSshd } from '../ssh/sshd.ts'
import { until } from '../until.ts'
import { Chance } from './chance.ts'

const CUTS = Number(process.env['BRINE_SSH_CUTS'] ?? 3)
const SEED = Number(process.env['BRINE_SSH_SEED'] ?? 19)

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'salt-ssh.js')
/** The most that a cut comes after the moment that was waited for. */
const LATE_MS = 80
/** A file that takes many packets, and does not shrink by compression. */
const LARGE = Buffer.concat(
  Array.from({ length: 40_000 }, (_, i) => createHash('sha256').update(String(i)).digest()),
).toString('base64')

/** The file of each state of the tree, by the id of the state. */
const MADE: Record<string, { file: string; text: string }> = {
  ...Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`file ${name}`, { file: `${name}.conf`, text: `name = ${name}\n` }]),
  ),
  large: { file: 'large', text: LARGE },
  'command 1': { file: 'made-1', text: 'made\n' },
  'command 2': { file: 'made-2', text: 'made\n' },
  last: { file: 'z.conf', text: 'name = z\n' },
}

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

interface StateAnswer {
  result: boolean | null
  changes: object
  __id__: string
}

class Site {
  readonly root = mkdtempSync(join(tmpdir(), 'brine-ssh-cut-'))
  readonly target = join(this.root, 'target')
  /** Where the target keeps temporary files. */
  readonly tmp = join(this.root, 'tmp')
  sshd!: TestSshd

  async open(): Promise<void> {
    for (const path of ['tree', 'etc', 'target', 'tmp']) mkdirSync(join(this.root, path))
    this.sshd = await startSshd({ config: [`SetEnv TMPDIR=${this.tmp}`] })
    writeFileSync(join(this.root, 'tree', 'site.conf'), 'name = {{ name }}\n')
    writeFileSync(join(this.root, 'tree', 'large'), LARGE)
    writeFileSync(join(this.root, 'tree', 'tree.sls'), this.sls())
    const options = { root_dir: this.root, file_roots: { base: [join(this.root, 'tree')] }, user: userInfo().username }
    writeFileSync(join(this.root, 'etc', 'master'), JSON.stringify(options))
    const { port, identity, knownHosts } = this.sshd
    const login = { host: '127.0.0.1', port, user: userInfo().username, priv: identity }
    const entry = { ...login, ssh_options: [`UserKnownHostsFile=${knownHosts}`] }
    writeFileSync(join(this.root, 'etc', 'roster'), JSON.stringify({ web: entry }))
  }

  private sls(): string {
    const states = Object.entries(MADE).map(([id, { file }]) => {
      const name = { name: join(this.target, file) }
      if (id.startsWith('command')) {
        return [id, { 'cmd.run': [{ name: `echo made > ${name.name}` }, { unless: `test -s ${name.name}` }] }]
      }
      const template = [{ source: 'salt://site.conf' }, { template: 'jinja' }, { context: { name: file[0] } }]
      return [id, { 'file.managed': [name, ...(id === 'large' ? [{ source: 'salt://large' }] : template)] }]
    })
    return JSON.stringify(Object.fromEntries(states))
  }

  apply(): Promise<Ran> {
    const words = ['-c', join(this.root, 'etc'), '--out=json', '--static', 'web', 'state.apply', 'tree']
    const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    const ran: Ran = { code: null, stdout: '', stderr: '' }
    child.stdout.on('data', (text) => {
      ran.stdout += text
    })
    child.stderr.on('data', (text) => {
      ran.stderr += text
    })
    return new Promise((done) => child.once('close', (code) => done({ ...ran, code })))
  }

  /** Return the files on the target that the tree does not create. */
  leftovers(): string[] {
    const made = Object.values(MADE).map(({ file }) => file)
    return [...readdirSync(this.target).filter((name) => !made.includes(name)), ...readdirSync(this.tmp)]
  }

  isMade(id: string): boolean {
    const { file, text } = MADE[id]!
    const path = join(this.target, file)
    return existsSync(path) && readFileSync(path, 'utf8') === text
  }

  async close(): Promise<void> {
    await this.sshd?.stop()
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** The answers of the states by id; none where the run did not come that far. */
function statesOf({ stdout }: Ran): StateAnswer[] {
  const answer = stdout.trim() === '' ? undefined : JSON.parse(stdout).web
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return []
  return Object.entries(answer as Record<string, StateAnswer>)
    .filter(([tag]) => tag.includes('_|-'))
    .map(([, state]) => state)
}

const succeeded = (ran: Ran): string[] =>
  statesOf(ran)
    .filter(({ result }) => result === true)
    .map(({ __id__ }) => __id__)

/** Kill the sshd of the session when that many things are made, or a moment later. */
async function cut(site: Site, chance: Chance, run: Promise<Ran>): Promise<void> {
  const count = chance.whole(0, Object.keys(MADE).length)
  let isOver = false
  void run.then(() => {
    isOver = true
  })
  await until('the run is under way', () => {
    return isOver || (site.sshd.sessions() > 0 && readdirSync(site.target).length >= count)
  })
  await sleep(chance.whole(0, LATE_MS))
  site.sshd.cut()
}

describe.skipIf(noSshd !== undefined)('a connection that dies during a state run', () => {
  const site = new Site()
  const chance = new Chance(SEED)
  beforeAll(() => site.open())
  afterAll(() => site.close())

  for (let i = 1; i <= CUTS; i++) {
    it(`is reported, and the next run converges (cut ${i} of seed ${SEED})`, async () => {
      for (const name of readdirSync(site.target)) rmSync(join(site.target, name), { recursive: true })
      const run = site.apply()
      await cut(site, chance, run)
      const broken = await run
      expect(succeeded(broken).filter((id) => !site.isMade(id))).toEqual([])
      const isWhole = succeeded(broken).length === Object.keys(MADE).length
      expect(isWhole, broken.stdout + broken.stderr).toBe(broken.code === 0)
      const next = await site.apply()
      expect(next.code, next.stdout + next.stderr).toBe(0)
      expect(Object.keys(MADE).filter((id) => !site.isMade(id))).toEqual([])
      await until('nothing of the session stays', () => site.leftovers().length === 0).catch(() => undefined)
      expect(site.leftovers()).toEqual([])
      const third = statesOf(await site.apply())
      expect(third.map(({ result, changes }) => [result, changes])).toEqual(third.map(() => [true, {}]))
    })
  }
})
