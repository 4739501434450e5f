// `slack`: returns as messages in a channel of Slack.
import { type Dict, isDict, pformat, str, truthy, type Value } from '../../../data/mod.ts'
import { defineReturner, dumpYaml, returnerOptions } from '../../../sdk/mod.ts'
import { returnMessage } from '../common/return-message.ts'

const DEFAULTS = {
  channel: '#general',
  username: null,
  as_user: null,
  api_key: null,
  changes: false,
  only_show_failed: false,
  yaml_format: false,
}

/** Return the failed states, and with `changes` also the changed ones. */
function chosen(states: Value, changes: boolean): Value {
  if (!isDict(states)) return states
  const isChosen = (state: Value): boolean =>
    !isDict(state) || state.get('result') !== true || (changes && truthy(state.get('changes') ?? null))
  return new Map([...states].filter(([, state]) => isChosen(state)))
}

async function shownReturn(ret: Dict, options: Record<keyof typeof DEFAULTS, Value>): Promise<string> {
  const all = ret.get('return') ?? null
  const changes = options.changes === true
  const returned = changes || options.only_show_failed === true ? chosen(all, changes) : all
  return options.yaml_format === true ? dumpYaml(returned) : pformat(returned)
}

export default defineReturner({
  name: 'slack_returner',
  virtual: 'slack',
  doc:
    'Post returns to a channel of Slack. Options `slack.channel`, `slack.username`, `slack.api_key`, `slack.changes` (only states with ' +
    'changes or failures), `slack.only_show_failed` and `slack.yaml_format`.',
  functions: {
    returner: async (ctx, ret) => {
      const options = await returnerOptions(ctx, 'slack', DEFAULTS, ret)
      const missing = (['channel', 'username', 'api_key'] as const).find((name) => !truthy(options[name]))
      if (missing) return ctx.log('error', `slack.${missing} not defined in salt config`)
      if (truthy(options.changes) && truthy(options.only_show_failed)) {
        return ctx.log('error', 'cannot define both slack.changes and slack.only_show_failed in salt config')
      }
      const message = `\`\`\`${returnMessage(ret, await shownReturn(ret, options))}\`\`\``
      const { channel, username, api_key } = options
      const answer: Value = await ctx.call('slack.post_message', [channel, message, username, api_key])
      if (answer !== true)
        ctx.log('error', `Slack did not take the return of ${str(ret.get('jid') ?? '')}: ${str(answer)}`)
    },
  },
})
