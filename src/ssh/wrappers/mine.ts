// `mine.get` for targets without minions. They store nothing in a mine, so the functions are called on request.
import { type Dict, dictFrom, isDict, str, type Value } from '../../data/mod.ts'
import {
  arg,
  type Bound,
  defineModule,
  type FunctionContext,
  type ModuleDeclaration,
  reads,
  ret,
} from '../../sdk/mod.ts'
import type { SshAnswer } from '../answer.ts'
import type { NestedCalls } from '../nested.ts'

const args = {
  tgt: arg.textOrList('Target: text, or a list of ids'),
  fun: arg.any('Function or alias'),
  tgt_type: arg.text('Kind of the target', { default: 'glob' }),
  roster: arg.text('Roster', { default: 'flat' }),
  ssh_minions: arg.boolean('Call the function on targets of the roster', { default: true }),
  regular_minions: arg.boolean('Return what minions left in the mine', { default: false }),
}

export const mineWrapper = (nested: NestedCalls): ModuleDeclaration =>
  defineModule({
    name: 'mine',
    doc: 'Results of functions of other targets.',
    functions: {
      get: reads({
        doc: 'Call functions of the mine on targets, and return stored results of minions.',
        args,
        returns: ret.dict('Results by id'),
        example: "mine.get '*' network.interfaces roster=flat",
        run: (ctx, asked) => get(ctx, nested, asked),
      }),
    },
  })

async function get(ctx: FunctionContext, nested: NestedCalls, asked: Bound<typeof args>): Promise<Dict> {
  const { tgt, fun, tgt_type, roster, ssh_minions, regular_minions } = asked
  const found: Dict = new Map()
  if (regular_minions) {
    const load = dictFrom({ tgt, fun, tgt_type })
    for (const [id, value] of await nested.mineOfMinions(load)) found.set(id, value)
  }
  if (!ssh_minions) return found
  const name = str(fun)
  const answers = await nested.onTargets({ tgt, tgtType: tgt_type, fun: name, words: [], roster, isMine: true })
  for (const [id, answer] of answers) {
    const value = returnOf(answer)
    if (value !== undefined) found.set(id, value)
    else
      ctx.log(
        'error',
        `Error executing mine func ${name} on ${id}: ${str(reasonOf(answer))}. Excluding minion from mine.`,
      )
  }
  return found
}

const returnOf = ({ full, retcode }: SshAnswer): Value | undefined =>
  isDict(full) && retcode === 0 ? full.get('return') : undefined

function reasonOf({ full }: SshAnswer): Value {
  if (!isDict(full)) return full
  return full.get('stderr') || full.get('_error') || full.get('return') || 'No return was specified'
}
