// Calls into users' Python: the first one, one from a template with warm caches, and whole runs of `salt-call --local`
// whose tree makes 1,000 of them, beside Salt's if SALT_TREE names its source (SALT_PYTHONPATH: its dependencies).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Dict, Value } from '../src/data/mod.ts'
import { moduleTable, Registry } from '../src/loader/mod.ts'
import { userModules } from '../src/pybridge/mod.ts'
import { interpreter } from '../src/python/mod.ts'
import { renderText } from '../src/render/mod.ts'
import { median } from './measure.ts'
import { findPython } from './peer.ts'
import type { Bench } from './run.ts'

const GOAL_WARM_MS = 1
const GOAL_FIRST_MS = 150
const CALLS = 1000
const ROUNDS = 5

const MODULE = 'import os\n\ndef double(n):\n    return n * 2\n\ndef leave():\n    os._exit(0)\n'
const LOOP = `{% for i in range(${CALLS}) %}{% set _ = salt['bench_probe.double'](i) %}{% endfor %}done`
const TREE = `${LOOP.replace('done', '')}\nall:\n  test.nop\n`

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

async function registryOver(opts: Dict): Promise<Registry> {
  const registry = new Registry(moduleTable, { opts, grains: new Map(), pillar: new Map(), userModules })
  await registry.refresh()
  return registry
}

/** The time for starting Python alone; it shows a busy machine. */
const bareStart = (): number => median([0, 1, 2].map(() => timed(interpreter('python3'), ['-c', 'pass'], {})))

/** Compile the module as Python does at the first import. */
const compilePython = (root: string): void =>
  void timed(interpreter('python3'), ['-m', 'compileall', '-q', join(root, 'python')], {})

/** Milliseconds until the first call is answered, each time by a new Python. */
async function firstCalls(opts: Dict): Promise<number[]> {
  const samples: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = performance.now()
    const functions = await registryOver(opts)
    await functions.call('bench_probe.double', [1])
    samples.push(performance.now() - begun)
    await Promise.resolve(functions.call('bench_probe.leave')).catch(() => {})
  }
  // the first one loads our own code too
  return samples.slice(1)
}

/** Wall milliseconds of a program. */
function timed(command: string, words: string[], env: NodeJS.ProcessEnv): number {
  const begun = performance.now()
  const { status, stderr } = spawnSync(command, words, { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
  return performance.now() - begun
}

function wholeRuns(root: string, home: string): { ours: number; theirs?: number } {
  const words = ['--local', '-c', join(home, 'etc'), '--out=quiet', 'state.apply', 'tree']
  const rounds = (run: () => number): number => median([run(), run(), run()])
  const program = join(root, 'dist', 'salt-call.js')
  if (!existsSync(program)) throw new Error('dist/ is not there: run npm run build first')
  const ours = rounds(() => timed(process.execPath, [program, ...words], {}))
  const tree = process.env['SALT_TREE']
  if (!tree) return { ours }
  const start = "import sys; sys.argv[0] = 'salt-call'; from salt.scripts import salt_call; salt_call()"
  const path = [tree, process.env['SALT_PYTHONPATH'] ?? ''].filter((part) => part !== '').join(':')
  const python = findPython(['yaml', 'jinja2', 'msgpack'])
  return { ours, theirs: rounds(() => timed(python, ['-W', 'ignore', '-c', start, ...words], { PYTHONPATH: path })) }
}

const pybridge: Bench = async ({ root }) => {
  const home = mkdtempSync(join(tmpdir(), 'brine-bench-'))
  write(home, 'minion/var/cache/salt/minion/extmods/modules/bench_probe.py', MODULE)
  write(home, 'srv/tree.sls', TREE)
  const options = {
    id: 'bench',
    root_dir: join(home, 'minion'),
    file_client: 'local',
    file_roots: { base: [join(home, 'srv')] },
  }
  write(home, 'etc/minion', JSON.stringify(options))
  const extmods = join(home, 'minion/var/cache/salt/minion/extmods')
  const opts: Dict = new Map<Value, Value>([['extension_modules', extmods]])
  try {
    compilePython(root)
    const first = median(await firstCalls(opts))
    const functions = await registryOver(opts)
    const context = { opts, grains: new Map(), pillar: new Map(), functions, renderer: 'jinja' }
    const samples: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      await renderText(LOOP, context)
      samples.push((performance.now() - start) / CALLS)
    }
    const warm = median(samples)
    const bare = bareStart()
    const alone = `Python alone starts in ${bare.toFixed(0)}`
    process.stdout.write(
      `first call, Python started for it: ${first.toFixed(0)} ms (${alone}); goal: under ${GOAL_FIRST_MS}\n`,
    )
    process.stdout.write(`a call from a template, warm: ${warm.toFixed(3)} ms; goal: under ${GOAL_WARM_MS}\n`)
    const { ours, theirs } = wholeRuns(root, home)
    const beside = theirs === undefined ? '' : `, Salt ${theirs.toFixed(0)} ms, ${(ours / theirs).toFixed(2)}×`
    process.stdout.write(`salt-call of a tree with ${CALLS} calls: ${ours.toFixed(0)} ms${beside}\n`)
    return first < GOAL_FIRST_MS && warm < GOAL_WARM_MS && (theirs === undefined || ours < theirs)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

export default pybridge satisfies Bench
