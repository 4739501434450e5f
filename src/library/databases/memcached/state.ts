// States of memcached's keys.
import { equals, SaltError, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { deletingTime, server, storingOptions } from './arguments.ts'
import { packed } from './stored-value.ts'

const managedArgs = {
  name: arg.text('Key'),
  value: arg.any('A text or an integer; values of other types are refused', { optional: true }),
  ...server,
  ...storingOptions,
}
const absentArgs = {
  name: arg.text('Key'),
  value: arg.any('Delete the key only if it has this value', { optional: true }),
  ...server,
  time: deletingTime,
}

/** Return a report; one of a failure where the server or the arguments caused an error. */
async function unlessRefused(name: string, report: Promise<StateReturn>): Promise<StateReturn> {
  try {
    return await report
  } catch (error) {
    if (error instanceof SaltError) return failed(error.message).on(name)
    throw error
  }
}

function managed(ctx: StateContext, wanted: Bound<typeof managedArgs>): Promise<StateReturn> {
  const { name, value, host, port, time, min_compress_len } = wanted
  return ensure(ctx, {
    name,
    look: async () => {
      const current = await ctx.call('memcached.get', [name, host, port])
      if (equals(current, value)) return settled(`Key '${name}' does not need to be updated`)
      packed(name, value) // a dry run also reports a value that cannot be stored
      return { current }
    },
    foresee: ({ current }) =>
      current === null ? `Key '${name}' would be added` : `Value of key '${name}' would be changed`,
    act: async ({ current }) => {
      const isSet = truthy(await ctx.call('memcached.set', [name, value, host, port, time, min_compress_len]))
      if (!isSet) return failed(`Failed to set key '${name}'`)
      const changes = current === null ? { 'key added': name, value } : { old: current, new: value }
      return changed(`Successfully set key '${name}'`, changes)
    },
  })
}

function absent(ctx: StateContext, wanted: Bound<typeof absentArgs>): Promise<StateReturn> {
  const { name, value, host, port, time } = wanted
  return ensure(ctx, {
    name,
    look: async () => {
      const current = await ctx.call('memcached.get', [name, host, port])
      if (current === null) return settled(`Key '${name}' does not exist`)
      if (value === null || equals(current, value)) return { current }
      return settled(`Value of key '${name}' ('${str(current)}') is not '${str(value)}'`)
    },
    foresee: () => `Key '${name}' would be deleted`,
    act: async ({ current }) => {
      const isDeleted = truthy(await ctx.call('memcached.delete', [name, host, port, time]))
      if (!isDeleted) return failed(`Failed to delete key '${name}'`)
      return changed(`Successfully deleted key '${name}'`, { 'key deleted': name, value: current })
    },
  })
}

export default defineState({
  name: 'memcached',
  doc: 'Manage keys of memcached.',
  functions: {
    managed: state({
      doc: 'Ensure that a key has a value.',
      args: managedArgs,
      run: (ctx, wanted) => unlessRefused(wanted.name, managed(ctx, wanted)),
    }),
    absent: state({
      doc: 'Ensure that a key does not exist.',
      args: absentArgs,
      run: (ctx, wanted) => unlessRefused(wanted.name, absent(ctx, wanted)),
    }),
  },
})
