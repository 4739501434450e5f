// Real Salt for tests: its programs from the checkout in SALT_TREE, each in a separate directory. Its dependencies are
// in Python's default path or in SALT_PYTHONPATH.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../until.ts'

export const SALT_TREE: string | undefined = process.env['SALT_TREE']

/** Finds Salt in its tree, and its dependencies elsewhere. */
export const PYTHONPATH: string = [SALT_TREE, process.env['SALT_PYTHONPATH'], process.env['PYTHONPATH']]
  .filter(Boolean)
  .join(':')

/** The first interpreter that can import Salt; machines may have several. */
export function findPython(): string {
  const candidates = [process.env['SALT_PYTHON'], 'python3', '/usr/bin/python3'].filter((name) => name !== undefined)
  const env = { ...process.env, PYTHONPATH }
  const found = candidates.find(
    (python) =>
      spawnSync(python, ['-W', 'ignore', '-c', 'import salt.scripts, salt.config, tornado'], { env }).status === 0,
  )
  if (found !== undefined) return found
  throw new Error(`No Python can import Salt from ${SALT_TREE}: name one that can in SALT_PYTHON`)
}

/** Whether Salt finds a package here. */
export function canImport(name: string): boolean {
  if (SALT_TREE === undefined) return false
  return spawnSync(findPython(), ['-c', `import ${name}`], { env: { ...process.env, PYTHONPATH } }).status === 0
}

/** The entry point of each program. */
const ENTRIES = {
  'salt-minion': 'salt_minion',
  'salt-master': 'salt_master',
  salt: 'salt_main',
  'salt-key': 'salt_key',
  'salt-run': 'salt_run',
  'salt-syndic': 'salt_syndic',
} as const

export type SaltProgram = keyof typeof ENTRIES

/** The user of a program, if it is not the user of the tests. */
export interface SaltUser {
  uid?: number
  gid?: number
  home?: string
}

export class SaltSite {
  readonly directory = mkdtempSync(join(tmpdir(), 'brine-salt-'))
  private readonly running: ChildProcess[] = []
  private interpreter: string | undefined

  /** Writes a configuration file with directories inside this site, and gives its folder. */
  configure(kind: 'master' | 'minion', options: Record<string, unknown>): string {
    const home = join(this.directory, kind)
    mkdirSync(join(home, 'conf'), { recursive: true })
    const places = Object.fromEntries(['pki_dir', 'cachedir', 'sock_dir'].map((name) => [name, join(home, name)]))
    const all = { root_dir: home, user: 'root', log_file: join(home, 'log'), ...places, ...options }
    writeFileSync(join(home, 'conf', kind), JSON.stringify(all))
    return join(home, 'conf')
  }

  start(program: SaltProgram, conf: string): ChildProcess {
    const child = this.spawn(program, ['-c', conf, '-l', 'warning'])
    this.running.push(child)
    return child
  }

  /** Run a program to its end and return its output. */
  run(program: SaltProgram, args: string[], user: SaltUser = {}): Promise<string> {
    return printed(this.spawn(program, args, user))
  }

  /** Run Python with Salt in its path; return its output. */
  python(code: string, args: string[]): Promise<string> {
    return printed(this.spawnPython(code, args))
  }

  /** Accepts the keys of minions; false while they have not all come. */
  async accept(conf: string, ids: readonly string[]): Promise<boolean> {
    await this.run('salt-key', ['-c', conf, '-A', '-y'])
    const keys = JSON.parse(await this.run('salt-key', ['-c', conf, '-l', 'acc', '--out', 'json'])) as {
      minions: string[]
    }
    return ids.every((id) => keys.minions.includes(id))
  }

  /** End all started programs and their processes. */
  async stop(): Promise<void> {
    for (const child of [...this.running]) await this.end(child)
    rmSync(this.directory, { recursive: true, force: true })
  }

  /**
   * End one program and all its processes. A dead process that its new parent has not collected yet counts, too: as long
   * as it exists, a minion of Salt with the same pid file says that an instance is already running, and ends.
   */
  async end(child: ChildProcess): Promise<void> {
    this.running.splice(this.running.indexOf(child), 1)
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    process.kill(-child.pid, 'SIGTERM')
    await Promise.race([closed, sleep(8000)])
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    await closed
    const group = -child.pid
    const isGone = (): boolean => isError(() => process.kill(group, 0))
    if (!isGone()) process.kill(group, 'SIGKILL')
    await until(`the processes of ${child.spawnargs.at(-1)} are gone`, isGone)
  }

  private spawn(program: SaltProgram, args: string[], user: SaltUser = {}): ChildProcess {
    // releases before 3008 use this module without importing it
    const code = `import sys, tornado.queues; sys.argv[0] = '${program}'; from salt.scripts import ${ENTRIES[program]} as main; main()`
    return this.spawnPython(code, args, user)
  }

  private spawnPython(code: string, args: string[], { home, ...ids }: SaltUser = {}): ChildProcess {
    this.interpreter ??= findPython()
    // a separate group: Salt's daemons are many processes
    return spawn(this.interpreter, ['-W', 'ignore', '-c', code, ...args], {
      env: { ...process.env, PYTHONPATH, ...(home && { HOME: home }) },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      ...ids,
    })
  }
}

function isError(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch {
    return true
  }
}

async function printed(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdout?.on('data', (text: Buffer) => {
    output += text
  })
  await new Promise((resolve) => child.once('close', resolve))
  return output
}
