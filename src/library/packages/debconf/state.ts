// Answers that debconf has for the questions of packages.
import { type Dict, equals, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Answers {
  name: string
  source: Value
  template: Value
  context: Value
  defaults: Value
  kwargs: Map<string, Value>
}

async function fromFile(ctx: StateContext, given: Answers): Promise<StateReturn> {
  const { name, source, template, kwargs } = given
  const done = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  const context = given.context ?? new Map()
  const defaults = given.defaults ?? new Map()
  if (!isDict(context)) return done(false, 'Context must be formed as a dict')
  if (!isDict(defaults)) return done(false, 'Defaults must be formed as a dict')
  if (ctx.test) return done(null, 'Debconf selections would have been set.')
  const isSet = truthy(template)
    ? await ctx.call('debconf.set_template', [source, template, context, defaults], kwargs)
    : await ctx.call('debconf.set_file', [source], kwargs)
  return truthy(isSet)
    ? done(true, 'Debconf selections were set.')
    : done(false, 'Unable to set debconf selections from file.')
}

async function answers(ctx: StateContext, name: string, data: Dict): Promise<StateReturn> {
  const current = await ctx.call('debconf.show', [name])
  const changes: Dict = new Map()
  let result: boolean | null = true
  let comment = ''
  for (const [question, answer] of data) {
    const type = (answer as Dict).get('type') ?? null
    const given = (answer as Dict).get('value') ?? null
    const value = type === 'boolean' ? (truthy(given) ? 'true' : 'false') : given
    if (current?.some((one) => equals(one, [question, type, str(value)]))) {
      comment = `${comment === '' ? 'Unchanged answers: ' : comment}${str(question)} `
    } else if (ctx.test) {
      result = null
      changes.set(question, `New value: ${str(value)}`)
    } else if (truthy(await ctx.call('debconf.set', [name, question, type, value]))) {
      changes.set(question, type === 'password' ? '(password hidden)' : str(value))
    } else {
      result = false
      comment = 'Some settings failed to be applied.'
      changes.set(question, 'Failed to set!')
    }
  }
  return { name, changes, result, comment: changes.size === 0 ? 'All specified answers are already set' : comment }
}

export default defineState({
  name: 'debconfmod',
  virtual: 'debconf',
  doc: 'Keep answers to debconf set.',
  when: async ({ grains, host }) => {
    if (grains.get('os_family') !== 'Debian') return 'debconf state only runs on Debian systems'
    return (await host.which('debconf-get-selections')) !== undefined || 'debconf module could not be loaded'
  },
  functions: {
    set_file: state({
      doc: 'Answers of a file are set.',
      args: {
        name: arg.string('A name for the state'),
        source: arg.text('Where the file is'),
        template: arg.any('The engine that renders it', { optional: true }),
        context: arg.any('Variables of the template', { optional: true }),
        defaults: arg.any('Variables that the context may override', { optional: true }),
        kwargs: arg.open('`saltenv`'),
      },
      run: fromFile,
    }),
    set: state({
      doc: 'Answers for a package are set.',
      args: {
        name: arg.string('The package'),
        data: arg.dict('Type and value by question'),
        kwargs: arg.ignored(),
      },
      run: (ctx, { name, data }) => answers(ctx, name, data),
    }),
  },
})
