// States that fire events: in the order of the states, or after the change of a watched state.
import { truthy } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const name = arg.string('Tag of the event')
const data = arg.any('Data of the event: a dict; other types are shown but not sent', { optional: true })
const withData = (what: string) => arg.any(`Send ${what} too: a boolean, or a list of keys`, { default: false })

const args = {
  name,
  data,
  preload: arg.any('Dict merged into the message to the master', { optional: true }),
  with_env: withData('the environment'),
  with_grains: withData('the grains'),
  with_pillar: withData('the pillar'),
  show_changed: arg.boolean('Show the event among the changes', { default: true }),
  kwargs: arg.open('Further data'),
}

async function send(ctx: StateContext, message: Bound<typeof args>): Promise<StateReturn> {
  const { name, data, preload, with_env, with_grains, with_pillar, show_changed, kwargs } = message
  const changes = show_changed ? { tag: name, data } : {}
  if (ctx.test) return { name, changes, result: null, comment: 'Event would have been fired' }
  const further = new Map([...kwargs].filter(([key]) => !key.startsWith('__')))
  const keywords = new Map([...Object.entries({ data, preload, with_env, with_grains, with_pillar }), ...further])
  const result = truthy(await ctx.call('event.send', [name], keywords))
  return { name, changes, result, comment: 'Event fired' }
}

const fire = state({ doc: 'Fire an event on the master.', args, run: send })

export default defineState({
  name: 'event',
  doc: 'Fire events on the master.',
  functions: {
    send: fire,
    wait: state({
      doc: 'Fire an event on the master after the change of a watched state.',
      args: { name, sfun: arg.text('Ignored', { optional: true }), data },
      run: (_ctx, { name }) => ({ name, changes: {}, result: true, comment: '' }),
    }),
    mod_watch: fire,
    fire_master: fire,
  },
})
