// GitFS, ours and Salt's with pygit2 in one run: one repository of 2,000 files and 60 branches, and ten remotes. Goals are for CPU time,
// of the process and of every git that it starts. Repositories are on the same machine, where the fetching side also starts the
// programs of the server; the rows "over http" count the client alone.
//   SALT_TREE=… npm run -s bench -- gitfs [--updates 1000] [--salt-updates 20]
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { serveHttp } from '../test/conformance/gitfs/servers.ts'
import { findPython } from './peer.ts'
import type { Bench } from './run.ts'

/** How many times less CPU time is the goal. */
const GOAL = 10

/** Of memory after all updates, over that after a tenth of them. */
const MOST_GROWTH = 1.1

interface Figure {
  what: string
  cpuMs?: number
  wallMs?: number
  firstMiB?: number
  lastMiB?: number
  rssMiB?: number
  updates?: number
}

/** Repositories of a shape, and further commits of the first one. */
interface Made {
  folder: string
  shape: Shape
  commits: string[]
}

interface Shape {
  title: string
  remotes: number
  files: number
  branches: number
}

const SHAPES: readonly Shape[] = [
  { title: '1 remote, 2,000 files, 60 branches', remotes: 1, files: 2000, branches: 60 },
  { title: '10 remotes of 200 files and 6 branches', remotes: 10, files: 200, branches: 6 },
]

/** Make a repository with `git fast-import`; return further commits of its master branch. */
function makeRepository(path: string, seed: number, { files, branches }: Shape): string[] {
  execFileSync('git', ['init', '-q', '--bare', '-b', 'master', path])
  const who = 'B <b@example.invalid> 1700000000 +0000'
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const head = (branch: string): string => `commit refs/heads/${branch}\ncommitter ${who}\n${data('c')}`
  const pathOf = (number: number): string => `formula${number % 40}/part${number % 7}/file${number}.sls`
  const lines = [head('master')]
  for (let number = 0; number < files; number++) {
    lines.push(`M 644 inline ${pathOf(number)}\n${data(`state_${seed}_${number}:\n  test.nop: []\n`.repeat(8))}`)
  }
  lines.push(`M 644 inline top.sls\n${data("base:\n  '*': []\n")}`)
  for (let branch = 0; branch < branches; branch++) {
    const name = `branch${branch}`
    lines.push(`${head(name)}from refs/heads/master\nM 644 inline ${pathOf(branch)}\n${data(`own: ${branch}`)}`)
  }
  for (let count = 0; count < 100; count++) {
    lines.push(
      `${head('next')}${count === 0 ? 'from refs/heads/master\n' : ''}M 644 inline news.sls\n${data(`n: ${count}`)}`,
    )
  }
  execFileSync('git', ['-C', path, 'fast-import', '--quiet'], { input: lines.join('') })
  const commits = execFileSync('git', ['-C', path, 'rev-list', 'next', '^master'], { encoding: 'utf8' })
    .trim()
    .split('\n')
  // kept by a ref that is no branch
  execFileSync('git', ['-C', path, 'update-ref', 'refs/kept/next', commits[0]!])
  execFileSync('git', ['-C', path, 'update-ref', '-d', 'refs/heads/next'])
  return commits.reverse()
}

async function figuresOf(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Map<string, Figure>> {
  const { stdout } = await promisify(execFile)(argv[0]!, argv.slice(1), { env, maxBuffer: 1 << 26 })
  const figures = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure)
  return new Map(figures.map((figure) => [figure.what, figure]))
}

/** Return the task of one side: separate repositories and cache; with a server, updates from there. */
function taskFor(made: Made, side: string, updates: number, server?: string): string {
  const { folder, shape, commits } = made
  const name = server === undefined ? side : `${side}-served`
  const repos = join(folder, name)
  cpSync(join(folder, 'repos'), repos, { recursive: true })
  const cachedir = join(folder, `cache-${name}`)
  mkdirSync(cachedir)
  const base = server === undefined ? `file://${repos}` : `${server}/${name}`
  const remotes = Array.from({ length: shape.remotes }, (_, number) => `${base}/r${number}.git`)
  const isUpdatesOnly = server !== undefined
  return JSON.stringify({ cachedir, remotes, repository: join(repos, 'r0.git'), commits, updates, isUpdatesOnly })
}

function print(
  title: string,
  ours: ReadonlyMap<string, Figure>,
  salt: ReadonlyMap<string, Figure> | undefined,
): boolean {
  let isReached = true
  process.stdout.write(`\n${title}: CPU ms (wall ms)\n`)
  const shown = (figure?: Figure): string =>
    figure?.cpuMs === undefined ? '' : `${figure.cpuMs.toFixed(1)} (${figure.wallMs!.toFixed(0)})`
  for (const [what, own] of ours) {
    const other = salt?.get(what)
    if (own.cpuMs === undefined) {
      const growth = own.lastMiB! / own.firstMiB!
      const theirs = other
        ? `; Salt: process ${other.firstMiB!.toFixed(0)} to ${other.lastMiB!.toFixed(0)} MiB in ${other.updates}`
        : ''
      process.stdout.write(
        `  memory over ${own.updates} updates: held ${own.firstMiB!.toFixed(1)} to ${own.lastMiB!.toFixed(1)} MiB, process ${own.rssMiB!.toFixed(0)} MiB${theirs}\n`,
      )
      if (growth > MOST_GROWTH) isReached = false
      continue
    }
    const ratio = other?.cpuMs === undefined ? undefined : other.cpuMs / Math.max(own.cpuMs, 0.1)
    if (ratio !== undefined && ratio < GOAL) isReached = false
    const times = ratio === undefined ? '' : `${ratio.toFixed(1)}×${ratio < GOAL ? ' (below the goal)' : ''}`
    process.stdout.write(`  ${what.padEnd(36)} ${shown(own).padStart(16)} ${shown(other).padStart(18)}  ${times}\n`)
  }
  return isReached
}

const bench: Bench = async ({ root, args, bundle }) => {
  const { values } = parseArgs({ args, options: { updates: { type: 'string' }, 'salt-updates': { type: 'string' } } })
  const worker = await bundle('gitfs-worker')
  const tree = process.env['SALT_TREE']
  const python = tree === undefined ? undefined : findPython(['pygit2'])
  const pythonPath = [tree, process.env['SALT_PYTHONPATH']].filter(Boolean).join(':')
  let isReached = true
  for (const shape of SHAPES) {
    const folder = mkdtempSync(join(tmpdir(), 'brine-bench-gitfs-'))
    try {
      mkdirSync(join(folder, 'repos'))
      const all = Array.from({ length: shape.remotes }, (_, number) =>
        makeRepository(join(folder, 'repos', `r${number}.git`), number, shape),
      )
      const made: Made = { folder, shape, commits: all[0]! }
      const compared = async (server?: string): Promise<boolean> => {
        const updates = Number(values.updates ?? 1000)
        const ours = await figuresOf(
          [process.execPath, '--expose-gc', worker, taskFor(made, 'ours', updates, server)],
          process.env,
        )
        const few = Number(values['salt-updates'] ?? 20)
        const peer = join(root, 'bench', 'python', 'gitfs_peer.py')
        const env = { ...process.env, PYTHONPATH: pythonPath }
        const salt = python && (await figuresOf([python, peer, taskFor(made, 'salt', few, server)], env))
        return print(`${shape.title}${server ? ', over http' : ''}`, ours, salt || undefined)
      }
      if (!(await compared())) isReached = false
      const { port, stop } = await serveHttp(folder, false)
      try {
        if (!(await compared(`http://127.0.0.1:${port}`))) isReached = false
      } finally {
        await stop()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return isReached
}

export default bench satisfies Bench
