// Reads and updates the mine from the master.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'

/** Mark of a result with a limit of readers: the master reads it only if its own id is among them. */
const MARK = '__saltmine_acl__'
const DATA = '__data__'
/** Kinds of targets that are matched in bounded time; a minion wrote the expression. */
const BY_ID = new Set(['glob', 'list'])

function readable(ctx: MasterContext, entry: Value): Value | undefined {
  if (!isDict(entry) || !entry.has(MARK)) return entry
  const allowed = entry.get('allow_tgt') ?? null
  const isForAll = !truthy(allowed)
  const kind = str(entry.get('allow_tgt_type') ?? 'glob')
  const readers = isForAll || !BY_ID.has(kind) ? [] : ctx.targets(allowed, kind).minions
  return isForAll || readers.includes(option(ctx.opts, 'id')) ? (entry.get(DATA) ?? null) : undefined
}

function get(ctx: MasterContext, tgt: Value, fun: Value, tgt_type: string): Dict {
  const names = isList(fun) ? fun.map(str) : [...new Set(str(fun).split(','))]
  const found = new Map<string, Dict>(names.map((name) => [name, new Map()]))
  for (const id of ctx.targets(tgt, tgt_type).minions) {
    const mine = ctx.cache.bank('mine').fetch(id)
    if (mine === undefined || !isDict(mine)) continue
    for (const name of names) {
      const value = mine.has(name) ? readable(ctx, mine.get(name)!) : undefined
      if (value !== undefined) found.get(name)!.set(id, value)
    }
  }
  if (!isList(fun) && names.length === 1) return found.get(names[0]!)!
  return new Map([...found].filter(([, answers]) => answers.size > 0))
}

const tgt = arg.textOrList('Target: text, or a list of minion ids')
const tgt_type = arg.text('Kind of the target', { default: 'glob' })

export default defineRunner({
  name: 'mine',
  doc: 'Read and update the mine.',
  functions: {
    get: masterFn({
      doc: 'Return the stored results of minions.',
      args: { tgt, fun: arg.any('Function or alias; a list of them, or text with commas'), tgt_type },
      examples: ["salt-run mine.get '*' network.interfaces"],
      run: (ctx, { tgt, fun, tgt_type }) => get(ctx, tgt, fun, tgt_type),
    }),
    update: masterFn({
      doc: 'Have minions store new results in the mine.',
      args: {
        tgt,
        tgt_type,
        clear: arg.flag('Remove the stored results first', { default: false }),
        mine_functions: arg.any(
          'Functions to call in place of the configured ones: a list, or a dict as in the option',
          { optional: true },
        ),
      },
      examples: ["salt-run mine.update '*'"],
      run: (ctx, { tgt, tgt_type, clear, mine_functions }) =>
        ctx.call('salt.execute', [tgt, 'mine.update'], {
          tgt_type,
          ...(clear && { clear }),
          ...(mine_functions !== null && { mine_functions }),
        }),
    }),
  },
})
