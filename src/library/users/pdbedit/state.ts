// Users of Samba.
import { compareDicts, type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

async function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  const logins = await ctx.call('pdbedit.list', [false])
  if (!Array.isArray(logins) || !logins.includes(name)) {
    return { name, changes: {}, result: true, comment: `account ${name} is absent` }
  }
  if (ctx.test) return { name, changes: {}, result: null, comment: `account ${name} is set to be removed` }
  const answer = (await ctx.call('pdbedit.delete', [name])).get(name)
  const done = answer === 'deleted'
  return { name, changes: done ? { [name]: answer } : {}, result: done || answer === 'absent', comment: '' }
}

async function managed(ctx: StateContext, name: string, options: ReadonlyMap<string, Value>): Promise<StateReturn> {
  const entryOf = async (): Promise<Dict> =>
    (((await ctx.call('pdbedit.list', [], { hashes: true })) as Dict).get(name) ?? new Map()) as Dict
  const saved = await entryOf()
  if (ctx.test) {
    const verb = saved.size > 0 ? 'checked' : 'created'
    return { name, changes: {}, result: null, comment: `account ${name} is set to be ${verb}` }
  }
  const answer = (await ctx.call('pdbedit.modify', [], new Map([...options, ['login', name]]))).get(name)
  const settled: StateReturn = { name, changes: {}, result: true, comment: '' }
  if (answer === 'created') return { ...settled, changes: { [name]: answer } }
  if (answer === 'updated') return { ...settled, changes: { [name]: compareDicts(saved, await entryOf()) } }
  return answer === 'unchanged' ? settled : { ...settled, result: false, comment: str(answer ?? '') }
}

const account = { name: arg.string('Login of the user'), kwargs: arg.open('Arguments of pdbedit.modify') }

export default defineState({
  name: 'pdbedit',
  doc: 'Manage users of Samba.',
  when: async ({ host }) =>
    (await host.which('pdbedit')) !== undefined ||
    'pdbedit state module can only be loaded when the pdbedit module is available',
  functions: {
    absent: state({
      doc: 'Ensure that a user does not exist.',
      args: { name: arg.string('Login of the user') },
      run: (ctx, { name }) => absent(ctx, name),
    }),
    managed: state({
      doc: 'Ensure that a user exists with the given properties.',
      args: account,
      run: (ctx, { name, kwargs }) => managed(ctx, name, kwargs),
    }),
    present: state({
      doc: 'Ensure that a user exists with the given properties.',
      args: account,
      run: (ctx, { name, kwargs }) => managed(ctx, name, kwargs),
    }),
  },
})
