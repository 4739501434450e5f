// Sets of addresses and their entries are there or not.
import { isList, keyError, str, strip, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

const failed = (verb: string, name: string, family: string, why: Value): string =>
  `Failed to ${verb} set ${name} for ${family}: ${strip(str(why))}`

async function setPresent(
  ctx: StateContext,
  name: string,
  type: Value,
  family: string,
  options: Options,
): Promise<StateReturn> {
  const settled: StateReturn = {
    name,
    changes: {},
    result: true,
    comment: `ipset set ${name} already exists for ${family}`,
  }
  if ((await ctx.call('ipset.check_set', [name])) === true) return settled
  if (ctx.test) return { ...settled, result: null, comment: `ipset set ${name} would be added for ${family}` }
  const answer = await ctx.call('ipset.new_set', [name, type, family], options)
  if (answer !== true) return { ...settled, result: false, comment: failed('create', name, family, answer) }
  const comment = `ipset set ${name} created successfully for ${family}`
  return { ...settled, changes: { locale: name }, comment }
}

async function setAbsent(ctx: StateContext, name: string, family: string): Promise<StateReturn> {
  const settled: StateReturn = {
    name,
    changes: {},
    result: true,
    comment: `ipset set ${name} for ${family} is already absent`,
  }
  if (!truthy(await ctx.call('ipset.check_set', [name, family]))) return settled
  if (ctx.test) return { ...settled, result: null, comment: `ipset set ${name} for ${family} would be removed` }
  const flushed = await ctx.call('ipset.flush', [name, family])
  if (!truthy(flushed)) return { ...settled, result: false, comment: failed('flush', name, family, flushed) }
  const answer = await ctx.call('ipset.delete_set', [name, family])
  if (answer !== true) return { ...settled, result: false, comment: failed('delete', name, family, answer) }
  const comment = `ipset set ${name} deleted successfully for family ${family}`
  return { ...settled, changes: { locale: name }, comment }
}

interface Entries {
  name: string
  entry: Value
  family: string
  kwargs: Options
}

/** An entry as it is listed: its address, and its options with those that the state gives for all. */
function listed(given: string, options: Options): { bare: string; whole: string } {
  const blank = given.indexOf(' ')
  const bare = blank < 0 ? given : given.slice(0, blank)
  let own = blank < 0 ? '' : given.slice(blank + 1)
  if (options.has('timeout') && !own.includes('timeout')) own = `timeout ${str(options.get('timeout')!)} ${own}`
  if (options.has('comment') && !own.includes('comment')) own = `${own} comment ${str(options.get('comment')!)}`
  return { bare, whole: `${bare} ${own.trimStart()}`.trim() }
}

async function entries(ctx: StateContext, wish: Entries, wanted: boolean): Promise<StateReturn> {
  const { name, family, kwargs } = wish
  if (!truthy(wish.entry)) return { name, changes: {}, result: false, comment: 'ipset entry must be specified' }
  const set = kwargs.get('set_name')
  if (set === undefined) throw keyError('set_name')
  let result: boolean | null = true
  let changes = {}
  let comment = ''
  for (const given of isList(wish.entry) ? wish.entry : [wish.entry]) {
    const { bare, whole } = listed(str(given), kwargs)
    const there = (await ctx.call('ipset.check', [set, whole, family])) === true
    const say = textsOf(wanted, bare, whole, str(set), family)
    if (there === wanted) comment += say.settled
    else if (ctx.test) {
      result = null
      comment += say.foreseen
    } else {
      const answer = str(
        await ctx.call(`ipset.${wanted ? 'add' : 'delete'}`, [set, wanted ? whole : bare, family], kwargs),
      )
      const done = !answer.includes('Error')
      if (done) [changes, comment] = [{ locale: name }, comment + say.done]
      else [result, comment] = [false, say.failed + answer + (wanted ? '' : '\n')]
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

async function flush(ctx: StateContext, name: string, family: string): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  if ((await ctx.call('ipset.check_set', [name])) === false) {
    return report(false, `ipset set ${name} does not exist for ${family}`)
  }
  if (ctx.test) return report(null, `ipset entries in set ${name} for ${family} would be flushed`)
  if (!truthy(await ctx.call('ipset.flush', [name, family]))) {
    return report(false, `Failed to flush ipset entries from set ${name} for ${family}`)
  }
  return report(true, `Flushed ipset entries from set ${name} for ${family}`, { locale: name })
}

const family = arg.string('ipv4 or ipv6', { default: 'ipv4' })
const set = arg.string('The set')
const name = arg.string('What it is called in reports')
const entry = arg.any('An entry, or a list', { optional: true })
const kwargs = arg.open('`set_name`, and options of the entries')

export default defineState({
  name: 'ipset',
  doc: 'Sets of addresses for the packet filter.',
  when: async ({ host }) => (await host.which('ipset')) !== undefined || 'ipset module could not be loaded',
  functions: {
    set_present: state({
      doc: 'There is a set.',
      args: { name: set, set_type: arg.any('Its type, as hash:ip'), family, kwargs: arg.open('Options of the set') },
      run: (ctx, { name, set_type, family, kwargs }) => setPresent(ctx, name, set_type, family, kwargs),
    }),
    set_absent: state({
      doc: 'There is no such set.',
      args: { name: set, family, kwargs: arg.ignored() },
      run: (ctx, { name, family }) => setAbsent(ctx, name, family),
    }),
    present: state({
      doc: 'A set has entries.',
      args: { name, entry, family, kwargs },
      run: (ctx, wish) => entries(ctx, wish, true),
    }),
    absent: state({
      doc: 'A set does not have entries.',
      args: { name, entry, entries: arg.any('Ignored', { optional: true }), family, kwargs },
      run: (ctx, wish) => entries(ctx, wish, false),
    }),
    flush: state({
      doc: 'A set is emptied.',
      args: { name: set, family, kwargs: arg.ignored() },
      run: (ctx, { name, family }) => flush(ctx, name, family),
    }),
  },
})
