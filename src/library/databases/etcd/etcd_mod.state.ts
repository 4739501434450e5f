// Keys of an etcd server.
import { equals, isDict, isFailure, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  type Steps,
  settled,
  state,
} from '../../../sdk/mod.ts'

const name = arg.text('Key')
const value = arg.any('Value; texts and numbers in the API v2')
const recurse = arg.flag('Remove a folder with everything below it', { default: false })
const connection = {
  profile: arg.text('Name of the option or pillar that has the settings of the server', { optional: true }),
  kwargs: arg.open('Settings of the server: `host`, `port` and so on'),
}

interface Connection {
  profile: string | null
  kwargs: ReadonlyMap<string, Value>
}

const settings = ({ profile, kwargs }: Connection): Record<string, Value> => ({
  ...Object.fromEntries([...kwargs].filter(([key]) => !key.startsWith('_'))),
  profile,
})

/** Carry out the steps of a state; an error of the server is a failure. */
async function steps<Gap>(ctx: StateContext, where: Connection, given: Steps<Gap>): Promise<StateReturn> {
  try {
    return await ensure(ctx, given)
  } catch (error) {
    if (!isFailure(error)) throw error
    const hint = where.profile === null ? 'No profile found, using a profile is always recommended: ' : ''
    return failed(`${hint}${error.message}`).on(given.name)
  }
}

const found = async (ctx: StateContext, name: string, where: Connection, recurse = false): Promise<Value> =>
  await ctx.call('etcd.get', [name], { ...settings(where), recurse })

/** Whether a key has a value; the API v2 keeps texts only. */
const isSame = (is: Value, wanted: Value): boolean =>
  equals(is, wanted) || (is !== null && !isDict(is) && str(is) === str(wanted))

const setKey = (ctx: StateContext, name: string, value: Value, where: Connection): Promise<StateReturn> =>
  steps<{ isNew: boolean }>(ctx, where, {
    name,
    look: async () => {
      const is = await found(ctx, name, where)
      return isSame(is, value) ? settled('Key contains correct value') : { isNew: !truthy(is) }
    },
    foresee: ({ isNew }) => foreseen(`Key is set to be ${isNew ? 'created' : 'updated'}`, { [name]: value }),
    act: async ({ isNew }) => {
      await ctx.call('etcd.set', [name, value], settings(where))
      return changed(isNew ? 'New key created' : 'Key value updated', { [name]: value })
    },
  })

const removeKey = (ctx: StateContext, name: string, recurse: boolean, where: Connection): Promise<StateReturn> =>
  steps<'there'>(ctx, where, {
    name,
    look: async () => {
      // a folder without keys exists too
      const is = [await found(ctx, name, where), await found(ctx, name, where, true)]
      return is.every((value) => value === null) ? settled('Key does not exist') : 'there'
    },
    foresee: () => foreseen('Key is set to be removed', { [name]: 'Deleted' }),
    act: async () => {
      const isDone = await ctx.call('etcd.rm', [name], { ...settings(where), recurse })
      return truthy(isDone) ? changed('Key removed', { [name]: 'Deleted' }) : failed('Unable to remove key')
    },
  })

const waits = (doc: string, args: { value?: typeof value; recurse?: typeof recurse }) =>
  state({ doc, args: { name, ...args, ...connection }, run: (_ctx, { name }) => settled('').on(name) })

export default defineState({
  name: 'etcd_mod',
  virtual: 'etcd',
  doc: 'Keys of an etcd server.',
  functions: {
    set: state({
      doc: 'Ensure that a key has a value.',
      args: { name, value, ...connection },
      run: (ctx, { name, value, ...where }) => setKey(ctx, name, value, where),
    }),
    directory: state({
      doc: 'Ensure that a folder exists; only in the API v2.',
      args: { name, ...connection },
      run: (ctx, { name, ...where }) =>
        steps<'none'>(ctx, where, {
          name,
          look: async () => ((await found(ctx, name, where, true)) === null ? 'none' : settled('Directory exists')),
          foresee: () => foreseen('Directory is set to be created', { [name]: 'Created' }),
          act: async () => {
            await ctx.call('etcd.set', [name, null], { ...settings(where), directory: true })
            return changed('New directory created', { [name]: 'Created' })
          },
        }),
    }),
    rm: state({
      doc: 'Ensure that a key does not exist.',
      args: { name, recurse, ...connection },
      run: (ctx, { name, recurse, ...where }) => removeKey(ctx, name, recurse, where),
    }),
    wait_set: waits('Set a key when a watched state changes something.', { value }),
    wait_rm: waits('Remove a key when a watched state changes something.', { recurse }),
    mod_watch: state({
      doc: 'Do what wait_set and wait_rm announce.',
      args: {
        name,
        sfun: arg.text('The state that watches'),
        value: arg.any('Value', { optional: true }),
        recurse,
        ...connection,
      },
      run: (ctx, { name, sfun, value, recurse, ...where }) => {
        if (sfun === 'wait_set') return setKey(ctx, name, value, where)
        if (sfun === 'wait_rm') return removeKey(ctx, name, recurse, where)
        const comment = `etcd.${sfun} does not work with the watch requisite, please use etcd.wait_set or etcd.wait_rm`
        return failed(comment).on(name)
      },
    }),
  },
})
