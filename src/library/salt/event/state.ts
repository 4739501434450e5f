// Events as states: sent in order with everything else, or when something watched has changed.
import { truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Message {
  name: string
  data: Value
  preload: Value
  with_env: Value
  with_grains: Value
  with_pillar: Value
  show_changed: boolean
  kwargs: Map<string, Value>
}

async function send(ctx: StateContext, message: Message): Promise<StateReturn> {
  const { name, data, preload, with_env, with_grains, with_pillar, show_changed, kwargs } = message
  const changes = show_changed ? { tag: name, data } : {}
  if (ctx.test) return { name, changes, result: null, comment: 'Event would have been fired' }
  const further = new Map([...kwargs].filter(([key]) => !key.startsWith('__')))
  const keywords = new Map([...Object.entries({ data, preload, with_env, with_grains, with_pillar }), ...further])
  const result = truthy(await ctx.call('event.send', [name], keywords))
  return { name, changes, result, comment: 'Event fired' }
}

const name = arg.string('The tag')
const along = (what: string) => arg.any(`Whether ${what} goes along; or a list of its keys`, { default: false })
const fire = state({
  doc: 'Send an event to the master.',
  args: {
    name,
    data: arg.any('The data', { optional: true }),
    preload: arg.any('What else goes to the master', { optional: true }),
    with_env: along('the environment'),
    with_grains: along('all grains'),
    with_pillar: along('the pillar'),
    show_changed: arg.boolean('Whether the event is shown among the changes', { default: true }),
    kwargs: arg.open('Further data'),
  },
  run: send,
})

export default defineState({
  name: 'event',
  doc: 'Send events to the master.',
  functions: {
    send: fire,
    wait: state({
      doc: 'Send an event only when something watched has changed.',
      args: {
        name,
        sfun: arg.any('The function that watches', { optional: true }),
        data: arg.any('The data', { optional: true }),
      },
      run: (_ctx, { name }) => ({ name, changes: {}, result: true, comment: '' }),
    }),
    mod_watch: fire,
    fire_master: fire,
  },
})
