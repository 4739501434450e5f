// A site changes over: Brine takes over the configuration and the keys of a real Salt master while its minions run, and
// gives them back. No key changes, and minions need no command.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freePort } from '../free-port.ts'
import { SALT_TREE, SaltSite } from './salt.ts'

const MINUTE = 60_000
const CLI = join(import.meta.dirname, '../../src/cli')

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

let site: SaltSite
const started: ChildProcess[] = []

async function stop(child: ChildProcess): Promise<void> {
  if (ended(child)) return
  const closed = new Promise((done) => child.once('close', done))
  process.kill(-child.pid!, 'SIGTERM')
  await closed
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(stop))
  await site.stop()
}, MINUTE)

const ourWords = (program: string, args: readonly string[]): string[] => [
  '--import',
  'tsx',
  join(CLI, `${program}.ts`),
  ...args,
]

function startOurs(program: string, conf: string): ChildProcess {
  const words = ourWords(program, ['-c', conf, '-l', 'warning'])
  const child = spawn(process.execPath, words, { stdio: 'ignore', detached: true })
  started.push(child)
  return child
}

async function runOurs(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ourWords(program, args), { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.on('data', (text: Buffer) => {
    output += text
  })
  await new Promise((done) => child.once('close', done))
  return output
}

/** Return all files in a directory of keys, with their content. */
function keysIn(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => statSync(join(directory, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(realpathSync(join(directory, name)), 'utf8')]))
}

describe.runIf(SALT_TREE)('a site', () => {
  it('changes from a Salt master to ours and back with its minions running', { timeout: 8 * MINUTE }, async () => {
    site = new SaltSite()
    const [publishPort, returnPort] = [await freePort(), await freePort()]
    const master = site.configure('master', {
      interface: '127.0.0.1',
      publish_port: publishPort,
      ret_port: returnPort,
      worker_threads: 2,
      auto_accept: true,
    })
    const shared = {
      master: '127.0.0.1',
      publish_port: publishPort,
      master_port: returnPort,
      acceptance_wait_time: 2,
      random_reauth_delay: 1,
      recon_default: 100,
      recon_max: 1000,
    }
    const theirs = site.configure('minion', { id: 'theirs', ...shared })
    const own = new SaltSite()
    try {
      const ours = own.configure('minion', { id: 'ours', ...shared })
      // one answer after the other: releases of Salt differ in whether they get through with --static
      const words = ['-c', master, '*', 'test.ping', '--out=json', '-t', '10']
      const both = (text: string): void => {
        const answers = JSON.parse(`[${text.replace(/}\s*{/g, '},{')}]`) as object[]
        expect(Object.assign({}, ...answers)).toEqual({ theirs: true, ours: true })
      }

      const before = site.start('salt-master', master)
      site.start('salt-minion', theirs)
      startOurs('salt-minion', ours)
      await vi.waitFor(async () => both(await site.run('salt', words)), 2 * MINUTE)
      const keys = keysIn(join(master, '..', 'pki_dir'))
      await stop(before)

      const taking = startOurs('salt-master', master)
      await vi.waitFor(async () => both(await runOurs('salt', words)), 2 * MINUTE)
      expect(keysIn(join(master, '..', 'pki_dir'))).toEqual(keys)
      await stop(taking)

      site.start('salt-master', master)
      await vi.waitFor(async () => both(await site.run('salt', words)), 2 * MINUTE)
      expect(keysIn(join(master, '..', 'pki_dir'))).toEqual(keys)
    } finally {
      await Promise.all(started.splice(0).map(stop))
      await own.stop()
    }
  })
})
