// Answers of debconf to the questions of packages.
import { type Dict, equals, isDict, str, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

const SET_FILE = {
  name: arg.string('Name of the state'),
  source: arg.text('Path or URL of the file'),
  template: arg.text('Template engine, such as `jinja`', { optional: true }),
  context: arg.any('Dict of variables for the template; another type fails', { optional: true }),
  defaults: arg.any('Dict of variables that `context` overrides; another type fails', { optional: true }),
  kwargs: arg.open('`saltenv`'),
}

function fromFile(ctx: StateContext, given: Bound<typeof SET_FILE>): Promise<StateReturn> {
  const { name, source, template, kwargs } = given
  const context = given.context ?? new Map()
  const defaults = given.defaults ?? new Map()
  return ensure(ctx, {
    name,
    look: () => {
      if (!isDict(context)) return failed('Context must be formed as a dict')
      return isDict(defaults) ? null : failed('Defaults must be formed as a dict')
    },
    foresee: () => 'Debconf selections would have been set.',
    act: async () => {
      const isSet = template
        ? await ctx.call('debconf.set_template', [source, template, context, defaults], kwargs)
        : await ctx.call('debconf.set_file', [source], kwargs)
      return isSet ? settled('Debconf selections were set.') : failed('Unable to set debconf selections from file.')
    },
  })
}

async function answers(ctx: StateContext, name: string, data: Dict): Promise<StateReturn> {
  const current = await ctx.call('debconf.show', [name])
  const changes: Dict = new Map()
  let result: boolean | null = true
  let comment = ''
  for (const [question, answer] of data) {
    const [type = null, given = null] = ['type', 'value'].map((key) => (answer as Dict).get(key))
    const value = type === 'boolean' ? (truthy(given) ? 'true' : 'false') : given
    if (current?.some((one) => equals(one, [question, type, str(value)]))) {
      comment = `${comment === '' ? 'Unchanged answers: ' : comment}${str(question)} `
    } else if (ctx.test) {
      result = null
      changes.set(question, `New value: ${str(value)}`)
    } else if (await ctx.call('debconf.set', [name, question, type, value])) {
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
  doc: 'Manage the answers of debconf.',
  when: async ({ grains, host }) => {
    if (grains.get('os_family') !== 'Debian') return 'debconf state only runs on Debian systems'
    return (await host.which('debconf-get-selections')) !== undefined || 'debconf module could not be loaded'
  },
  functions: {
    set_file: state({
      doc: 'Ensure that the answers of a file are set.',
      args: SET_FILE,
      run: fromFile,
    }),
    set: state({
      doc: 'Ensure that answers for a package are set.',
      args: {
        name: arg.string('Package name'),
        data: arg.dict('Dict `{question: {type: …, value: …}}`'),
        kwargs: arg.ignored(),
      },
      run: (ctx, { name, data }) => answers(ctx, name, data),
    }),
  },
})
