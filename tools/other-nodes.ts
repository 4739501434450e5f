// The built programs on the other versions of Node that Brine supports: each version builds them, starts every program, applies the
// sample tree and runs a master with minions, and nothing may appear on the error stream. The versions are npm packages, kept below
// .brine/nodes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import type { StepResult } from './gate.ts'
import { nodeOf } from './nodes.ts'
import { type Outcome, tryMasterless, tryOptions, trySite } from './try-programs.ts'

const MAJORS = [20, 22, 24, 26]

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
