// States of variables of FreeBSD's rc.conf.
import { type Dict, equals, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const name = arg.text('Variable')
const kwargs = arg.open('`file`: path of the file; `jail`: name of the jail')
type Options = ReadonlyMap<string, Value>

const current = async (ctx: StateContext, name: string, options: Options): Promise<Value> =>
  ctx.call('sysrc.get', [], new Map<string, Value>([['name', name], ...options]))

async function managed(ctx: StateContext, name: string, value: Value, options: Options): Promise<StateReturn> {
  const old = await current(ctx, name, options)
  const files = isDict(old) ? [...old.values()] : []
  if (files.some((file) => equals((file as Dict).get(name) ?? null, value))) {
    return { name, changes: {}, result: true, comment: `${name} is already set to the desired value.` }
  }
  if (ctx.test) {
    const changes = { old, new: `${name} = ${str(value)} will be set.` }
    return { name, changes, result: null, comment: `The value of "${name}" will be changed!` }
  }
  const changed = await ctx.call(
    'sysrc.set',
    [],
    new Map<string, Value>([['name', name], ['value', value], ...options]),
  )
  return { name, changes: { old, new: changed }, result: true, comment: `The value of "${name}" was changed!` }
}

async function absent(ctx: StateContext, name: string, options: Options): Promise<StateReturn> {
  const old = await current(ctx, name, options)
  if (old === null) return { name, changes: {}, result: true, comment: `"${name}" is already absent.` }
  if (ctx.test) {
    const changes = { old, new: `"${name}" will be removed.` }
    return { name, changes, result: null, comment: `"${name}" will be removed!` }
  }
  const removed = await ctx.call('sysrc.remove', [], new Map<string, Value>([['name', name], ...options]))
  return { name, changes: { old, new: removed }, result: true, comment: `"${name}" was removed!` }
}

export default defineState({
  name: 'sysrc',
  doc: 'Manage variables of rc.conf.',
  when: async ({ host }) => (await host.which('sysrc')) !== undefined || 'Command not found: sysrc',
  functions: {
    managed: state({
      doc: 'Ensure the value of a variable.',
      args: { name, value: arg.any('Value: text, number or boolean'), kwargs },
      run: (ctx, { name, value, kwargs }) => managed(ctx, name, value, kwargs),
    }),
    absent: state({
      doc: 'Ensure that a variable is absent.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => absent(ctx, name, kwargs),
    }),
  },
})
