// Runs a function on many minions and groups them by their results.
import { compareText, type Dict, dictFrom, PyError, str, unifiedDiff, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, unreturnedText } from '../../../sdk/mod.ts'

interface Pool {
  pool: string[]
  result: string
}

async function pools(ctx: MasterContext, args: readonly Value[], given: ReadonlyMap<string, Value>): Promise<Pool[]> {
  const [tgt, fun, ...rest] = args
  if (tgt === undefined || fun === undefined) throw new PyError('IndexError', 'tuple index out of range')
  const kind = str(given.get('tgt_type') ?? 'compound')
  const own = new Set(['survey_sort', 'tgt_type'])
  const kwarg: Dict = new Map([...given].filter(([name]) => !own.has(name) && !name.startsWith('_')))
  const answers = new Map<string, string>()
  const tgtType = ['compound', 'pcre'].includes(kind) ? kind : 'compound'
  for await (const answer of ctx.run({ tgt, tgtType, fun, arg: rest, kwarg })) {
    const { id, data } = answer
    answers.set(id, data ? str(data.get('return') ?? null) : unreturnedText(answer))
  }
  const found = new Map<string, Pool>()
  for (const [id, result] of [...answers].sort(([a], [b]) => compareText(a, b))) {
    const pool = found.get(result) ?? { pool: [], result }
    pool.pool.push(id)
    found.set(result, pool)
  }
  const direction = given.get('survey_sort') === 'up' ? 1 : -1
  return [...found.values()].sort((a, b) => direction * (a.pool.length - b.pool.length))
}

/** Print the differences of each group from the first group. */
function differences(ctx: MasterContext, found: readonly Pool[]): void {
  const [first] = found
  const lines = (text: string): string[] => text.split(/\r?\n/).map((line) => `${line}\n`)
  for (const { pool, result } of found) {
    ctx.print(`minion pool :\n------------\n${str([...pool])}\npool size :\n----------\n    ${pool.length}\n`)
    if (result === first!.result) {
      ctx.print(`pool result :\n------------\n    ${result}\n\n`)
      continue
    }
    const head = `differences from "${first!.pool[0]}" results :`
    const files = { from: first!.pool[0]!, to: pool[0]!, context: 0 }
    const text = unifiedDiff(lines(first!.result), lines(result), files).join('')
    ctx.print(`${head}\n${'-'.repeat(head.length - 1)}\n${text}\n\n`)
  }
}

const shown = (found: readonly Pool[]): Value[] => found.map(({ pool, result }) => dictFrom({ pool, result }))

const args = {
  args: arg.rest('Target, function and arguments of the function'),
  kwargs: arg.open('`survey_sort` (up, down), `tgt_type` (compound, pcre), and keyword arguments of the function'),
}

export default defineRunner({
  name: 'survey',
  doc: 'Group minions by the results of a function.',
  functions: {
    hash: masterFn({
      doc: 'Run a function and return the minions grouped by result, largest group first.',
      args,
      examples: ['salt-run survey.hash "*" file.get_hash /etc/salt/minion survey_sort=up'],
      run: async (ctx, { args, kwargs }) => shown(await pools(ctx, args, kwargs)),
    }),
    diff: masterFn({
      doc: 'Run a function, print the differences from the first group, and return the minions grouped by result.',
      args,
      examples: ['salt-run survey.diff survey_sort=up "*" cp.get_file_str file:///etc/hosts'],
      run: async (ctx, { args, kwargs }) => {
        const found = await pools(ctx, args, kwargs)
        differences(ctx, found)
        return shown(found)
      },
    }),
  },
})
