// States of ipset sets and their entries.
import { isList, keyError, str, strip, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

const failure = (verb: string, name: string, family: string, why: Value): Verdict =>
  failed(`Failed to ${verb} set ${name} for ${family}: ${strip(str(why))}`)

interface SetRequest {
  name: string
  family: string
}

function setPresent(
  ctx: StateContext,
  { name, family, set_type, kwargs }: SetRequest & { set_type: string; kwargs: Options },
): Promise<StateReturn> {
  const subject = `ipset set ${name}`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = (await ctx.call('ipset.check_set', [name])) === true
      return exists ? settled(`${subject} already exists for ${family}`) : 'missing'
    },
    foresee: () => `${subject} would be added for ${family}`,
    act: async () => {
      const answer = await ctx.call('ipset.new_set', [name, set_type, family], kwargs)
      if (answer !== true) return failure('create', name, family, answer)
      return changed(`${subject} created successfully for ${family}`, { locale: name })
    },
  })
}

function setAbsent(ctx: StateContext, { name, family }: SetRequest): Promise<StateReturn> {
  const subject = `ipset set ${name}`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = truthy(await ctx.call('ipset.check_set', [name, family]))
      return exists ? 'present' : settled(`${subject} for ${family} is already absent`)
    },
    foresee: () => `${subject} for ${family} would be removed`,
    act: async () => {
      const flushed = await ctx.call('ipset.flush', [name, family])
      if (!truthy(flushed)) return failure('flush', name, family, flushed)
      const answer = await ctx.call('ipset.delete_set', [name, family])
      if (answer !== true) return failure('delete', name, family, answer)
      return changed(`${subject} deleted successfully for family ${family}`, { locale: name })
    },
  })
}

interface Entries {
  name: string
  entry: Value
  family: string
  kwargs: Options
}

/** Return an entry in ipset's notation: the address, and its options with those that the state sets for all entries. */
function listed(given: string, options: Options): { bare: string; whole: string } {
  const blank = given.indexOf(' ')
  const bare = blank < 0 ? given : given.slice(0, blank)
  let own = blank < 0 ? '' : given.slice(blank + 1)
  if (options.has('timeout') && !own.includes('timeout')) own = `timeout ${str(options.get('timeout')!)} ${own}`
  if (options.has('comment') && !own.includes('comment')) own = `${own} comment ${str(options.get('comment')!)}`
  return { bare, whole: `${bare} ${own.trimStart()}`.trim() }
}

async function entries(ctx: StateContext, request: Entries, wanted: boolean): Promise<StateReturn> {
  const { name, family, kwargs } = request
  if (!truthy(request.entry)) return { name, changes: {}, result: false, comment: 'ipset entry must be specified' }
  const set = kwargs.get('set_name')
  if (set === undefined) throw keyError('set_name')
  let result: boolean | null = true
  let changes = {}
  let comment = ''
  for (const given of isList(request.entry) ? request.entry : [request.entry]) {
    const { bare, whole } = listed(str(given), kwargs)
    const there = (await ctx.call('ipset.check', [set, whole, family])) === true
    const texts = textsOf(wanted, bare, whole, str(set), family)
    if (there === wanted) comment += texts.settled
    else if (ctx.test) {
      result = null
      comment += texts.foreseen
    } else {
      const answer = str(
        await ctx.call(`ipset.${wanted ? 'add' : 'delete'}`, [set, wanted ? whole : bare, family], kwargs),
      )
      const done = !answer.includes('Error')
      if (done) [changes, comment] = [{ locale: name }, comment + texts.done]
      else [result, comment] = [false, texts.failed + answer + (wanted ? '' : '\n')]
    }
  }
  return { name, changes, result, comment }
}

function textsOf(wanted: boolean, bare: string, whole: string, set: string, family: string) {
  if (wanted) {
    return {
      settled: `entry for ${bare} already in set ${set} for ${family}\n`,
      foreseen: `entry ${bare} would be added to set ${set} for family ${family}\n`,
      done: `entry ${whole} added to set ${set} for family ${family}\n`,
      failed: `Failed to add to entry ${whole} to set ${set} for family ${family}.\n`,
    }
  }
  return {
    settled: `ipset entry for ${whole} not present in set ${set} for ${family}\n`,
    foreseen: `ipset entry ${bare} would be removed from set ${set} for ${family}\n`,
    done: `ipset entry ${whole} removed from set ${set} for ${family}\n`,
    failed: `Failed to delete ipset entry from set ${set} for ${family}. Attempted entry was ${whole}.\n`,
  }
}

function flush(ctx: StateContext, { name, family }: SetRequest): Promise<StateReturn> {
  const subject = `set ${name} for ${family}`
  return ensure(ctx, {
    name,
    look: async () => {
      const isMissing = (await ctx.call('ipset.check_set', [name])) === false
      return isMissing ? failed(`ipset set ${name} does not exist for ${family}`) : 'present'
    },
    foresee: () => `ipset entries in ${subject} would be flushed`,
    act: async () => {
      const flushed = truthy(await ctx.call('ipset.flush', [name, family]))
      if (!flushed) return failed(`Failed to flush ipset entries from ${subject}`)
      return changed(`Flushed ipset entries from ${subject}`, { locale: name })
    },
  })
}

const family = arg.string('ipv4 or ipv6', { default: 'ipv4' })
const set = arg.string('Set name')
const name = arg.string('Name of the state, used in reports')
const entry = arg.textOrList('Entry, or a list of entries', { optional: true })
const kwargs = arg.open('`set_name`, and options of the entries')

export default defineState({
  name: 'ipset',
  doc: 'Manage sets of addresses for the packet filter.',
  when: async ({ host }) => (await host.which('ipset')) !== undefined || 'ipset module could not be loaded',
  functions: {
    set_present: state({
      doc: 'Ensure that a set exists.',
      args: {
        name: set,
        set_type: arg.text('Set type, such as hash:ip'),
        family,
        kwargs: arg.open('Options of the set'),
      },
      run: setPresent,
    }),
    set_absent: state({
      doc: 'Ensure that a set is absent.',
      args: { name: set, family, kwargs: arg.ignored() },
      run: setAbsent,
    }),
    present: state({
      doc: 'Ensure that a set has entries.',
      args: { name, entry, family, kwargs },
      run: (ctx, request) => entries(ctx, request, true),
    }),
    absent: state({
      doc: 'Ensure that a set does not have entries.',
      args: { name, entry, entries: arg.text('Ignored', { optional: true }), family, kwargs },
      run: (ctx, request) => entries(ctx, request, false),
    }),
    flush: state({
      doc: 'Remove all entries of a set.',
      args: { name: set, family, kwargs: arg.ignored() },
      run: flush,
    }),
  },
})
