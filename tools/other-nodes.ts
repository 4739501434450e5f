// The built programs on the other versions of Node that Brine supports: each version builds them, starts every program, applies the
// sample tree and runs a master with minions, and nothing may appear on the error stream. The versions are npm packages, kept below
// .brine/nodes.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { difference, inPairs, optionCases, type Running, runProgram } from '../test/integration/program-cases.ts'
import { runCommand } from './command.ts'
import type { StepResult } from './gate.ts'
import { DAEMONS, stopAll } from './up/daemons.ts'
import { freeSite } from './up/free-site.ts'
import { openSite } from './up/open-site.ts'
import { logOf, programsOf } from './up/site.ts'

const MAJORS = [20, 22, 24, 26]

/** What each version has to do; the running Node does the whole table in test/integration/programs.test.ts. */
const FLAGS = new Set(['-h', '--version', '-V'])

interface Outcome {
  name: string
  problem?: string | undefined
}

/** The program of a version of Node, installed where it is not there yet; undefined when it cannot be had. */
async function nodeOf(root: string, major: number): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(root, '.brine', 'nodes', String(major))
  const node = join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(node)) return node
  mkdirSync(folder, { recursive: true })
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']
  await runCommand(root, 'npm', ['install', ...options, '--prefix', folder, `${name}@${major}`])
  return existsSync(node) ? node : undefined
}

async function tryOptions(running: Running, version: string): Promise<Outcome[]> {
  const cases = optionCases(version).filter(({ what, exit }) => FLAGS.has(what) || exit === 64)
  return inPairs(cases, async (one) => ({
    name: `${one.program} with ${one.what}`,
    problem: difference(one, await runProgram(running, one.program, one.words)),
  }))
}

/** A minion without a master: a ping, and the sample tree. */
async function tryMasterless(root: string, running: Running, home: string): Promise<Outcome[]> {
  const tree = join(root, 'examples', 'tree')
  const options = {
    id: 'web1',
    root_dir: join(home, 'minion'),
    file_roots: { base: [join(tree, 'salt')] },
    pillar_roots: { base: [join(tree, 'pillar')] },
    grains: { role: 'web', shop_root: join(home, 'root') },
  }
  mkdirSync(join(home, 'etc'), { recursive: true })
  writeFileSync(join(home, 'etc', 'minion'), JSON.stringify(options))
  const call = async (out: RegExp, ...words: string[]): Promise<Outcome> => {
    const ended = await runProgram(running, 'salt-call', ['--local', '-c', join(home, 'etc'), ...words])
    const expected = { program: 'salt-call', words, what: words.join(' '), exit: 0, out, err: '' }
    return { name: `salt-call --local ${expected.what}`, problem: difference(expected, ended) }
  }
  return [await call(/^local:\n {4}True\n$/, 'test.ping'), await call(/\nSucceeded: 7 \(changed=7\)\n/, 'state.apply')]
}

/** A master with its minions, which say nothing while they work. */
async function trySite(root: string, { node, dist }: Running, home: string): Promise<Outcome[]> {
  const site = { ...(await freeSite(root, home)), node }
  const salt = async (...words: string[]): Promise<string> =>
    (await runCommand(root, join(site.bin, 'salt'), words)).output
  const outcomes: Outcome[] = []
  try {
    const { events } = await openSite(site, async () => symlinkSync(dist, programsOf(site)))
    events.close()
    const pinged = await salt('*', 'test.ping', '--out=json', '--static')
    const isAnswered = DAEMONS.slice(1).every((id) => pinged.includes(`"${id}": true`))
    outcomes.push({ name: "salt '*' test.ping", problem: isAnswered ? undefined : pinged })
    const applied = await salt('web1', 'state.apply', '--state-output=terse')
    outcomes.push({
      name: 'salt web1 state.apply',
      problem: applied.includes('Succeeded: 7 (changed=7)') ? undefined : applied,
    })
  } finally {
    await stopAll(site)
  }
  for (const name of DAEMONS) {
    const said = readFileSync(logOf(site, name), 'utf8').replace(/^.*received SIGTERM, exiting\n/, '')
    outcomes.push({ name: `${name} is silent`, problem: said === '' ? undefined : said })
  }
  return outcomes
}

/** Everything on one version of Node. */
async function tryNode(root: string, node: string, major: number): Promise<Outcome[]> {
  const dist = join(root, '.brine', 'nodes', String(major), 'dist')
  const built = await runCommand(root, node, ['--import', 'tsx', join('tools', 'build.ts'), dist])
  if (built.code !== 0 || built.output !== '') return [{ name: 'build', problem: built.output || 'no reason given' }]
  const { output } = await runCommand(root, node, ['--version'])
  const home = mkdtempSync(join(tmpdir(), 'brine-node-'))
  const running = { node, dist, home: join(home, 'programs') }
  try {
    return [
      { name: 'build' },
      ...(await tryOptions(running, output.trim())),
      ...(await tryMasterless(root, running, home)),
      ...(await trySite(root, running, home)),
    ]
  } finally {
    rmSync(home, { recursive: true, force: true })
    rmSync(dist, { recursive: true, force: true })
  }
}

/** The programs on every supported version of Node but the running one. */
export async function otherNodes(root: string): Promise<StepResult> {
  const own = Number.parseInt(process.versions.node, 10)
  const result = { passed: 0, failed: 0, details: '' }
  const [tried, absent]: [number[], number[]] = [[], []]
  for (const major of MAJORS.filter((each) => each !== own)) {
    const node = await nodeOf(root, major)
    if (node === undefined) {
      absent.push(major)
      continue
    }
    tried.push(major)
    for (const { name, problem } of await tryNode(root, node, major)) {
      if (problem === undefined) result.passed++
      else {
        result.failed++
        result.details += `FAIL Node ${major}: ${name}\n${problem}\n`
      }
    }
  }
  const skipped = absent.length > 0 ? `skipped ${absent.join(', ')}, which npm could not install` : ''
  const note = [tried.length > 0 ? `Node ${tried.join(', ')}` : '', skipped].filter(Boolean).join('; ')
  return { ...result, note }
}
