// Public formulas: every SLS of a formula compiled for a minion profile and a pillar, to the same high and low data
// (cases/formulas/README.md). The formulas themselves are checkouts in the directory that FORMULA_TREES names, one
// folder `<formula>-formula` each, at the golden's commit.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BrineError, silentLog } from '../../../src/base/mod.ts'
import { minionDefaults } from '../../../src/config/mod.ts'
import { type Dict, deepCopy, fromPlain, type Value } from '../../../src/data/mod.ts'
import { LocalHost } from '../../../src/host/mod.ts'
import { Registry } from '../../../src/loader/mod.ts'
import { renderText } from '../../../src/render/mod.ts'
import { LocalTree, stateEngine } from '../../../src/state/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { formulaFunctions, formulaStates, type Stubs } from '../formulas/functions.ts'
import { type Golden, type GoldenCase, readGolden } from '../formulas/goldens.ts'
import { kindOf } from '../formulas/kinds.ts'
import { projected } from '../formulas/projection.ts'

const trees = process.env['FORMULA_TREES'] ?? ''
const scratch = mkdtempSync(join(tmpdir(), 'brine-formulas-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

const cached = <T>(make: (key: string) => T): ((key: string) => T) => {
  const known = new Map<string, T>()
  return (key) => {
    if (!known.has(key)) known.set(key, make(key))
    return known.get(key)!
  }
}

const golden = cached(readGolden)
const profile = cached((file) => fromPlain(JSON.parse(readFileSync(file, 'utf8'))) as Dict)
const tables = cached((file) => {
  const stubs = JSON.parse(readFileSync(file, 'utf8')) as Stubs
  return { functions: formulaFunctions(stubs), states: formulaStates(stubs) }
})

function partsOf(testCase: Case): { file: string; golden: Golden; recorded: GoldenCase } {
  const file = testCase['file'] as string
  const found = golden(file)
  return { file, golden: found, recorded: found.cases[testCase['index'] as number]! }
}

function minion(file: string, { formula, data, pillars }: Golden, { profile: name, pillar }: GoldenCase): Registry {
  const tree = join(trees, `${formula}-formula`)
  if (!existsSync(tree)) throw new Error(`No checkout of the ${formula} formula at ${tree}`)
  const shared = dirname(file)
  const grains = deepCopy(profile(join(shared, 'profiles', `${name}.json`))) as Dict
  const compiled = deepCopy(data.get(pillars[pillar]![name]!)!) as Dict
  const opts = minionDefaults()
  const minionOptions = JSON.parse(readFileSync(join(shared, 'minion.json'), 'utf8')).options as Record<string, Json>
  for (const [option, value] of Object.entries(minionOptions)) opts.set(option, fromPlain(value))
  opts.set('id', grains.get('id') ?? null)
  opts.set('file_roots', fromPlain({ base: [tree] }))
  opts.set('root_dir', scratch)
  opts.set('cachedir', join(scratch, 'cache'))
  opts.set('grains', grains)
  opts.set('pillar', compiled)
  return open(opts, grains, compiled, tables(join(shared, 'stubs.json')))
}

function open(opts: Dict, grains: Dict, pillar: Dict, { functions, states }: ReturnType<typeof tables>): Registry {
  const host = new LocalHost()
  const registry: Registry = new Registry(functions, {
    opts,
    grains,
    pillar,
    host,
    masked: false,
    openStates: stateEngine({ table: states, tree: (options) => new LocalTree(options, host) }),
    render: async ({ text, ...request }) => {
      const context = { ...request, opts, grains, pillar, functions: registry, log: silentLog }
      return (await renderText(text, context)).value as Value
    },
  })
  return registry
}

/** A list of error texts, or data. */
async function compiled(registry: Registry, fun: string, sls: string): Promise<Json> {
  try {
    const value = await registry.call(fun, [sls])
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? value.length === 0
        ? []
        : { kind: kindOf(value.join('\n')) }
      : projected(value)
  } catch (error) {
    if (error instanceof BrineError) return { kind: 'exception' }
    throw error
  }
}

const formulas: Area = {
  name: 'formulas',
  recorded(testCase) {
    const { golden: from, recorded } = partsOf(testCase)
    const wanted = (ref: string | undefined): Json =>
      ref === undefined ? { kind: recorded.kind ?? 'other' } : projected(from.data.get(ref)!)
    return { expect: JSON.stringify({ high: wanted(recorded.high), low: wanted(recorded.low) }) }
  },
  async run(testCase): Promise<Outcome> {
    const { file, golden: from, recorded } = partsOf(testCase)
    mkdirSync(join(scratch, 'cache'), { recursive: true })
    // templates may change their data, so each call has a copy
    const answer = (fun: string): Promise<Json> => compiled(minion(file, from, recorded), fun, recorded.sls)
    const high = await answer('state.show_sls')
    const low = await answer('state.show_low_sls')
    return { expect: JSON.stringify({ high, low }) }
  },
}

export default formulas
