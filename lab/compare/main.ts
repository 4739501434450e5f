// `npm run lab -- compare --trees DIR [formula …]`: applies formulas to a fresh host with ours and to one like it with
// real Salt, and says where the two differ. SALT_TREE names the checkout of Salt, SALT_PYTHONPATH what it imports beyond
// Debian's packages, DIR the checkouts of formulas (`nginx-formula` and so on).
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { bootMirror, introduce } from '../mirror.ts'
import { install } from '../states.ts'
import { STOCK } from '../stock.ts'
import { type Answer, answerDifferences, countChanges, snapshotDifferences } from './difference.ts'
import { FORMULA_PACKAGES, FORMULAS, type Formula } from './formulas.ts'
import { call, OURS, PYTHON_PACKAGES, type Side, saltSide, startProblem } from './sides.ts'
import { type Snapshot, snapshot } from './snapshot.ts'

/** The runs of a formula, in order; each answer of ours is compared with Salt's. */
const RUNS: Record<string, string[]> = {
  'dry run': ['test=True'],
  'first run': [],
  'second run': [],
}

interface Course {
  answers: Record<string, Answer>
  before: Snapshot
  after: Snapshot
}

const say = (text: string) => process.stdout.write(`${text}\n`)

export async function compare(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { trees: { type: 'string' }, verbose: { type: 'boolean' } },
  })
  const tree = process.env['SALT_TREE']
  if (tree === undefined || values.trees === undefined) {
    process.stderr.write('Name a checkout of Salt in SALT_TREE and a directory of formulas with --trees\n')
    return 2
  }
  const trees = resolve(values.trees)
  const wanted = FORMULAS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const there = wanted.filter(({ name, tree: own }) => own ?? existsSync(join(trees, `${name}-formula`)))
  for (const { name } of wanted) if (!there.some((one) => one.name === name)) say(`${name}: not in ${trees}`)
  const { side, mounts } = saltSide(resolve(tree), process.env['SALT_PYTHONPATH'] ?? '')
  const lab = await Lab.open({
    installed: PYTHON_PACKAGES,
    stock: { ...STOCK, names: [...new Set([...STOCK.names, ...FORMULA_PACKAGES])].sort() },
    mounts: { ...mounts, [trees]: '/srv/formulas' },
  })
  try {
    const problem = await withHost(lab, (host) => startProblem(host, side))
    if (problem !== undefined) {
      process.stderr.write(`Salt does not start (SALT_PYTHONPATH names what it imports beside SALT_TREE): ${problem}\n`)
      return 2
    }
    let differences = 0
    for (const formula of there) differences += await compareFormula(lab, formula, side, values.verbose ?? false)
    say(`${there.length} formulas, ${differences} differences`)
    return differences === 0 ? 0 : 1
  } finally {
    await lab.close()
  }
}

async function compareFormula(lab: Lab, formula: Formula, salt: Side, verbose: boolean): Promise<number> {
  const theirs = await course(lab, formula, salt)
  const ours = await course(lab, formula, OURS)
  let lines = Object.keys(RUNS).flatMap((run) =>
    answerDifferences(ours.answers[run], theirs.answers[run]).map((line) => `${run}: ${line}`),
  )
  lines.push(...snapshotDifferences(ours.after, theirs.after))
  lines = lines.filter((line) => !formula.chance?.test(line))
  const changed = countChanges(theirs.before, theirs.after)
  const counts = Object.entries(changed).map(([kind, count]) => `${count} ${kind}`)
  say(`${formula.name}: ${summary(theirs.answers['first run'])}; changed ${counts.join(', ')}`)
  if (verbose) say(JSON.stringify(theirs.answers['first run'], null, 1))
  for (const line of lines) say(`  ${line}`)
  say(`  ${lines.length} differences`)
  return lines.length
}

function summary(answer: Answer): string {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return `Salt refuses: ${String(answer)}`
  const results = Object.values(answer as Record<string, { result: unknown }>)
  const failed = results.filter(({ result }) => result === false).length
  return `${results.length} states, ${failed} of which fail in Salt`
}

/** One side's runs on a fresh host, which has the name and address that the other side's had. */
async function course(lab: Lab, formula: Formula, side: Side): Promise<Course> {
  const { name, sls = [name] } = formula
  const mirror = formula.needsMirror ? (lab.hosts[0] ?? (await bootMirror(lab, /^(postgresql|libpq)/))) : undefined
  return withHost(lab, async (host) => {
    if (formula.needsMirror) await introduce(host, mirror!)
    if (formula.tree !== undefined) install(host, formula.tree)
    else configure(host, formula)
    const before = await snapshot(host)
    const answers: Record<string, Answer> = {}
    for (const [run, args] of Object.entries(RUNS)) {
      answers[run] = await call(host, side, ['state.apply', sls.join(','), ...args])
    }
    return { answers, before, after: await snapshot(host) }
  })
}

/** Boots a fresh host, works on it and discards it. */
async function withHost<Result>(lab: Lab, work: (host: Host) => Promise<Result>): Promise<Result> {
  const [host] = (await lab.boot('formula')) as [Host]
  try {
    return await work(host)
  } finally {
    await lab.discard(host)
  }
}

function configure(host: Host, { name, pillar = {}, without }: Formula): void {
  const checkout = `/srv/formulas/${name}-formula`
  const config = {
    id: host.name,
    file_client: 'local',
    file_roots: { base: [checkout] },
    pillar_roots: { base: ['/srv/pillar'] },
    pillar_source_merging_strategy: 'recurse',
  }
  host.write('/etc/salt/minion', JSON.stringify(config))
  host.write('/srv/pillar/top.sls', JSON.stringify({ base: { '*': ['example', 'lab'] } }))
  host.write('/srv/pillar/lab.sls', JSON.stringify(pillar))
  const example = host.read(`${checkout}/pillar.example`).split('\n')
  host.write('/srv/pillar/example.sls', example.filter((line) => !without?.test(line)).join('\n'))
}
