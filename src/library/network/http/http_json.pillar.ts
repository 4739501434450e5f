// `http_json`: the JSON that a web server answers.
import { truthy } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'
import { ANSWER_ARGS, answerFor } from './pillar-answer.ts'

export default defineExtPillar({
  name: 'http_json',
  doc: 'The JSON that a web server answers.',
  args: { ...ANSWER_ARGS, namespace: arg.any('Key to put the data under', { default: null }) },
  run: async (ctx, { namespace, ...args }) => {
    const data = await answerFor(ctx, 'json', args)
    return truthy(namespace) && truthy(data) ? new Map([[namespace, data]]) : data
  },
})
