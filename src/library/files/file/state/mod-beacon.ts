// The beacon of a managed file or directory whose state has `beacon: true`.
import { type Dict, dictFrom, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin, fail } from './answer.ts'

async function watch(ctx: StateContext, name: string, kwargs: ReadonlyMap<string, Value>): Promise<Answer | Dict> {
  const fun = kwargs.get('sfun') ?? null
  if (fun !== 'managed' && fun !== 'directory') {
    return fail(begin(name), `file.${str(fun)} does not work with the beacon state function`)
  }
  if (!truthy(kwargs.get('beacon') ?? false)) return { ...begin(name), comment: 'Not adding beacon.' }
  const given = kwargs.get('beacon_data') ?? null
  const option = (key: string, otherwise: Value): Value => (isDict(given) ? (given.get(key) ?? otherwise) : otherwise)
  const data = dictFrom({ mask: option('mask', ['create', 'delete', 'modify']) })
  if (fun === 'directory') {
    data.set('auto_add', option('auto_add', true)).set('recurse', option('recurse', true))
    data.set('exclude', option('exclude', []))
  }
  return ctx.state('beacon.present', {
    name: `beacon_inotify_${name}`,
    files: dictFrom({ [name]: data }),
    interval: option('interval', 60),
    coalesce: option('coalesce', false),
    beacon_module: 'inotify',
  })
}

export const mod_beacon = state({
  doc: 'Watch a managed file or directory with the inotify beacon.',
  args: { name: arg.string('Path'), kwargs: arg.open('`sfun`, `beacon`, `beacon_data`') },
  run: (ctx, { name, kwargs }) => watch(ctx, name, kwargs),
})
