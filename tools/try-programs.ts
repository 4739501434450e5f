// Checks of built programs, wherever they are installed: start with the common options, apply the sample tree without a
// master, and be a master with minions.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { difference, inPairs, optionCases, type Running, runProgram } from '../test/integration/program-cases.ts'
import { runCommand } from './command.ts'
import { DAEMONS, stopAll } from './up/daemons.ts'
import { freeSite } from './up/free-site.ts'
import { openSite } from './up/open-site.ts'
import { logOf, programsOf } from './up/site.ts'

/** The checks for each version of Node; the running Node does the whole table in test/integration/programs.test.ts. */
const FLAGS = new Set(['-h', '--version', '-V'])

export interface Outcome {
  name: string
  problem?: string | undefined
}

export async function tryOptions(running: Running, version: string): Promise<Outcome[]> {
  const cases = optionCases(version).filter(({ what, exit }) => FLAGS.has(what) || exit === 64)
  return inPairs(cases, async (one) => ({
    name: `${one.program} with ${one.what}`,
    problem: difference(one, await runProgram(running, one.program, one.words)),
  }))
}

/** A minion without a master: a ping, and the sample tree. */
export async function tryMasterless(root: string, running: Running, home: string): Promise<Outcome[]> {
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
export async function trySite(root: string, { node, dist }: Running, home: string): Promise<Outcome[]> {
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
